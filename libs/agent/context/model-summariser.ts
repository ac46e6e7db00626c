import type { Usage } from '#contracts';
import { checkpoint, TransientError } from '#kernel';
import type { ModelProvider } from '../model-port.js';
import type { Summariser } from './context-engine.js';

/** A model as a writer of summaries. @param usage grows with every question @param focus what a summary is to keep above all; '' for nothing */
export function modelSummariser(
  { provider, model, windowTokens }: { provider: ModelProvider; model: string; windowTokens: number },
  usage: Usage,
  focus: string,
  signal: AbortSignal,
): Summariser {
  return {
    windowTokens,
    async ask({ system: task, text }) {
      checkpoint('turn.compacting');
      const system = focus === '' ? task : `${task}\nAbove all keep what concerns: ${focus}`;
      let summary = '';
      let stopped = false;
      for await (const event of provider.stream({ model, system, messages: [{ role: 'user', text }], tools: [] }, signal)) {
        if (event.type === 'text') summary += event.text;
        if (event.type === 'restart') summary = '';
        if (event.type === 'stop') stopped = true;
        if (event.type === 'usage') {
          usage.inputTokens += event.usage.inputTokens;
          usage.outputTokens += event.usage.outputTokens;
        }
      }
      if (!stopped) throw new TransientError('stream_truncated', 'The summary ended in the middle');
      return summary;
    },
  };
}
