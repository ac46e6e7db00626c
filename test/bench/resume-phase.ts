import { waitUntil } from '../harness/wait-until.js';
import { startModelServer, type ModelScript, type ModelServerRequest } from '../fakes/model-server.js';
import { BenchChild, type ChildOptions } from './bench-child.js';
import { percentiles } from './percentiles.js';
import { itemsOf } from './workload.js';

/** From `kill -9` of a runner to the next model call of a turn it had, ms. */
export interface ResumeFigures {
  turns: number;
  p50: number;
  max: number;
}

const TURNS = 10;
const HANG_GUARD_MS = 60_000;
const RUNNER = new URL('./runner.process.js', import.meta.url);

/**
 * Kills a runner whose turns have all finished a tool and wait for their second answer, with the product's own lock and
 * check. Throws when a turn begins anew instead of going on from its journal.
 */
export async function measureResume(options: ChildOptions): Promise<ResumeFigures> {
  let killedAt = Number.POSITIVE_INFINITY;
  await using model = await startModelServer({ answer: ({ messages }) => script(messages, Date.now() >= killedAt) });
  const arrived = (count: number): Promise<unknown> =>
    waitUntil(
      `${count} model calls`,
      () => model.calls.length,
      (calls) => calls >= count,
      HANG_GUARD_MS,
    );
  const children = { ...options, modelUrl: model.baseUrl };
  const accept = await BenchChild.start(new URL('./accept.process.js', import.meta.url), children);
  const first = await BenchChild.start(RUNNER, children);
  await accept.ask('send', { items: itemsOf({ sessions: TURNS, messages: 1 }), inFlight: TURNS });
  await arrived(2 * TURNS);
  const second = await BenchChild.start(RUNNER, children);
  killedAt = Date.now();
  await first.kill();
  await arrived(3 * TURNS);
  await Promise.all([accept.stop(), second.stop()]);
  const resumed = model.calls.slice(2 * TURNS);
  if (resumed.some(({ body }) => !hasToolResult(body.messages))) throw new Error('A turn was not resumed, it began anew');
  const times = resumed.map(({ at }) => at - killedAt);
  return { turns: times.length, p50: percentiles(times).p50, max: Math.max(...times) };
}

function script(messages: ModelServerRequest['messages'], killed: boolean): ModelScript {
  if (!hasToolResult(messages)) return { toolCalls: [{ name: 'calculator', arguments: { expression: '1 + 1' } }] };
  return killed ? { text: 'done' } : { hang: true };
}

function hasToolResult(messages: ModelServerRequest['messages']): boolean {
  return messages.some(({ role }) => role === 'tool');
}
