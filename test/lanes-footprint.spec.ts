import { afterAll, beforeAll, expect } from 'vitest';
import type { JournalEntry } from '#contracts';
import { conversationOf } from '#host';
import { turnIdOf } from '#kernel';
import { Receipts } from '#sessions';
import { envelopeOf, sessionOf } from './harness/mail.js';
import { LanesWorld, rowOf, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

const HEAD_BYTES = 400;
const GROWTH_BYTES = 10_000;
const RESULT = 'r'.repeat(20_000);

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

/** One conversation's whole life: message, a tool with a result of 20 kB, answer, delivery, idle. */
async function live(conversation: string, fence: string): Promise<void> {
  await world.accept(conversation, 1);
  const taken = await world.takeTurn(conversation, fence);
  const entries: JournalEntry[] = [
    { k: 'started', call: 'c1' },
    { k: 'finished', call: 'c1', text: RESULT, isError: false },
  ];
  await world.state(conversation, fence).step(entries);
  await world.answer(conversation, fence, taken);
  const turn = turnIdOf(envelopeOf(targetOf(conversation), 1, '').id, 0);
  const row = rowOf(conversation, turn, 1, 'answer');
  const claim = { key: conversationOf(row), fence, activationId: '1', token: 'x', signal: new AbortController().signal };
  const dispatcher = world.conversation(claim);
  await dispatcher.take(9);
  await dispatcher.ack(
    { row, number: 1 },
    Receipts.final({ state: 'sent', platformIds: ['p1'], at: 1, possibleDuplicate: false }),
    undefined,
  );
}

/** Activations are claimed by hand here, so nothing ends them. */
async function endActivations(): Promise<void> {
  const { turns, deliveries } = world.platform;
  for (const queue of [...turns.activationQueues, ...deliveries.activationQueues]) await queue.drain(true);
}

proves('G7', 'an idle session keeps its transcript and a head of at most 400 bytes; everything else ends by itself', async () => {
  await live('idle', '1790000000000.1.abcdef01');
  await endActivations();
  const session = sessionOf('idle');
  const { work, keyspace } = world.platform;
  const lasting: string[] = [];
  for (const key of await world.keys()) {
    if (!key.includes('idle') && !key.includes(envelopeOf(targetOf('idle'), 1, '').id)) continue;
    if ((await work.pttl(key)) === -1) lasting.push(key);
  }
  expect(lasting).toEqual([keyspace.head(session), keyspace.transcript(session)].sort());
  expect(await work.memory('USAGE', keyspace.head(session))).toBeLessThanOrEqual(HEAD_BYTES);
  for (const lane of ['turns', 'deliveries'] as const) expect(await world.platform.busy.count(lane)).toBe(0);
  for (const suffix of ['wait', 'active', 'events', 'meta', 'id'])
    expect(await work.exists(keyspace.mailbox(session, suffix))).toBe(0);
});

proves(['B108', 'G7'], 'finished sessions with results of 20 kB leave at most 10 kB each, and no stream', async () => {
  const used = async (): Promise<number> =>
    Number(/used_memory_dataset:(\d+)/.exec(await world.redis.cli('INFO', 'memory'))?.[1]);
  await live('warm-up', '1790000000000.1.abcdef01');
  await endActivations();
  const [before, streams] = [await used(), await streamKeys()];
  const count = 200;
  for (let n = 0; n < count; n++) await live(`grown-${n}`, '1790000000000.1.abcdef01');
  await endActivations();
  expect(((await used()) - before) / count).toBeLessThanOrEqual(GROWTH_BYTES);
  expect(await streamKeys()).toBe(streams);
});

async function streamKeys(): Promise<number> {
  const { work } = world.platform;
  const types = await Promise.all((await world.keys()).map((key) => work.type(key)));
  return types.filter((type) => type === 'stream').length;
}
