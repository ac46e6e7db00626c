import type { ModelEvent, ModelProvider } from '#agent';
import { TerminalError } from '#kernel';
import { numberIn } from './bench-message.js';
import type { BenchProcess } from './bench-process.js';

export const ECHO_MODEL = 'echo/100';

/** Answers at once with the 100 characters it was given. */
export function echoModel(bench: BenchProcess): ModelProvider {
  return {
    id: 'echo',
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      const last = messages.at(-1);
      if (last?.role !== 'user') throw new TerminalError('format', 'The bench asks one question a turn');
      const n = numberIn(last.text);
      bench.mark('model', n);
      await bench.gate();
      yield { type: 'text', text: last.text };
      yield { type: 'usage', usage: { inputTokens: 100, outputTokens: 25 } };
      bench.mark('answer', n);
      bench.handled++;
      yield { type: 'stop', reason: 'stop' };
    },
  };
}
