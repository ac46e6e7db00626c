import { setTimeout as until } from 'node:timers/promises';
import type { Item, SendOrder } from './questions.js';

/** Sends a list of messages, by as many hands as the order allows, or at its rate however long each takes. */
export async function carryOut({ items, inFlight, perSecond }: SendOrder, send: (item: Item) => Promise<unknown>): Promise<null> {
  if (perSecond !== undefined) await atRate(items, perSecond, send);
  else await byHands(items, inFlight, send);
  return null;
}

async function byHands(items: readonly Item[], hands: number, send: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: hands }, async () => {
      for (const item of left) await send(item);
    }),
  );
}

async function atRate(items: readonly Item[], perSecond: number, send: (item: Item) => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const sent: Promise<unknown>[] = [];
  for (const [index, item] of items.entries()) {
    await until(Math.max(0, began + (index * 1000) / perSecond - performance.now()));
    sent.push(send(item));
  }
  await Promise.all(sent);
}
