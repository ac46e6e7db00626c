import { startModelServer } from '../fakes/model-server.js';
import { BenchChild, type ChildOptions } from './bench-child.js';
import { hostMs } from './host-clock.js';
import { percentiles, type Percentiles } from './percentiles.js';
import { itemsOf } from './workload.js';

/** From the call of Sessions.cancel, the hint behind it, to the closed socket at the model server, ms. */
export interface CancelFigures {
  turns: number;
  ms: Percentiles;
}

const TURNS = 20;
const LONG_ANSWER = { text: 'a word and another one '.repeat(500), chunkDelayMs: 20 };

/** Cancels turns while their model streams, one after the other, from another process than the one that runs them. */
export async function measureCancel(options: ChildOptions): Promise<CancelFigures> {
  await using model = await startModelServer({ answer: () => LONG_ANSWER });
  const children = { ...options, modelUrl: model.baseUrl };
  const accept = await BenchChild.start(new URL('./accept.process.js', import.meta.url), children);
  const runner = await BenchChild.start(new URL('./runner.process.js', import.meta.url), children);
  const times: number[] = [];
  for (const [index, item] of itemsOf({ sessions: TURNS, messages: 1 }).entries()) {
    await accept.ask('send', { items: [item], inFlight: 1 });
    const call = await model.called(index + 1);
    const closed = call.ended.then(hostMs);
    const asked = await accept.ask('cancel', item);
    times.push((await closed) - asked);
    if (!call.aborted) throw new Error('The model had ended its answer before it could be cancelled: make LONG_ANSWER longer');
  }
  await Promise.all([accept.stop(), runner.stop()]);
  return { turns: times.length, ms: percentiles(times) };
}
