import { setImmediate as turnOfLoop, setTimeout as sleep } from 'node:timers/promises';
import type { ModelEvent, ModelProvider } from '#agent';
import { TerminalError } from '#kernel';
import { numberIn } from './bench-message.js';
import type { BenchProcess } from './bench-process.js';
import { planIn } from './turn-shape.js';

export const ECHO_MODEL = 'echo/100';

/** Answers at once: with the tool calls of the turn's shape, then with the 100 characters it was given. */
export function echoModel(bench: BenchProcess): ModelProvider {
  return {
    id: 'echo',
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      const asked = messages.findLastIndex(({ role }) => role === 'user');
      const question = messages[asked];
      if (question === undefined) throw new TerminalError('format', 'The bench asks one question a turn');
      const n = numberIn(question.text);
      const answered = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
      const { calls, pieces, ms } = planIn(question.text);
      bench.mark('model', n);
      await bench.gate();
      if (ms !== undefined) await sleep(ms);
      yield { type: 'usage', usage: { inputTokens: 100, outputTokens: 25 } };
      const now = calls[answered];
      if (now !== undefined) return yield* toolCalls(n, answered, now);
      yield* text(question.text, pieces);
      bench.mark('answer', n);
      bench.handled++;
      yield { type: 'stop', reason: 'stop' };
    },
  };
}

/** No two calls of a turn are equal: an equal one would not run (TU-9). */
function* toolCalls(n: number, answer: number, count: number): Generator<ModelEvent> {
  for (let call = 0; call < count; call++) {
    const expression = `${answer} + ${call}`;
    yield { type: 'tool_call', id: `${n}-${answer}-${call}`, name: 'calculator', arguments: JSON.stringify({ expression }) };
  }
  yield { type: 'stop', reason: 'tool_calls' };
}

/** Between two pieces the process gets to do what it has to, as it would while a network stream is read. */
async function* text(whole: string, pieces: number): AsyncGenerator<ModelEvent> {
  const length = Math.ceil(whole.length / pieces);
  for (let at = 0; at < whole.length; at += length) {
    if (at > 0) await turnOfLoop();
    yield { type: 'text', text: whole.slice(at, at + length) };
  }
}
