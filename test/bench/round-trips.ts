import { setTimeout as rest } from 'node:timers/promises';
import type { BenchChild } from './bench-child.js';
import type { Side } from './side.js';
import { itemsOf, totalOf, type Workload } from './workload.js';

/** Awaited round trips per message, by process. */
export type RoundTrips = Record<string, number>;

const SETTLE_MS = 100;

/**
 * Counted on a side whose processes do one thing at a time, each with its backlog before it: what is written in one go is one
 * round trip (RedisMeter). The first of a process (a fetch that no end of another activation carries) counts in full.
 */
export async function countRoundTrips(side: Side, workload: Workload): Promise<RoundTrips> {
  const messages = totalOf(workload);
  const stages = side.name === 'raw' ? [side.workers] : side.workers.map((worker) => [worker]);
  const trips: RoundTrips = {};
  await side.gate(side.workers, 'closed');
  const accept = async (): Promise<void> => void (await side.sender.ask('send', { items: itemsOf(workload), inFlight: 1 }));
  trips[side.sender.name] = await counted([side.sender], messages, accept);
  for (const stage of stages) {
    const name = stage[0]?.name ?? '';
    trips[name] = await counted(stage, messages, async () => {
      await side.gate(stage, 'open');
      await side.untilHandled(messages, stage);
    });
  }
  return trips;
}

async function counted(children: readonly BenchChild[], messages: number, work: () => Promise<void>): Promise<number> {
  const total = async (): Promise<number> => {
    const usages = await Promise.all(children.map((child) => child.ask('usage', null)));
    return usages.reduce((sum, { roundTrips }) => sum + roundTrips, 0);
  };
  const before = await total();
  await work();
  await rest(SETTLE_MS);
  return ((await total()) - before) / messages;
}
