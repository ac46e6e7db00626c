import type { Spent } from '#contracts';
import { checkpoint, TransientError } from '#kernel';
import { AnswerParts } from '../answer-parts.js';
import type { ModelProvider } from '../model-port.js';
import { paidStream } from '../paid-stream.js';
import type { Summariser } from './context-engine.js';

/** A model as a writer of summaries. @param pay told of every question @param focus what a summary is to keep above all; '' for nothing */
export function modelSummariser(
  { provider, model, windowTokens }: { provider: ModelProvider; model: string; windowTokens: number },
  pay: (spent: Spent | undefined) => void,
  focus: string,
  signal: AbortSignal,
): Summariser {
  return {
    windowTokens,
    async ask({ system: task, text }) {
      checkpoint('turn.compacting');
      const system = focus === '' ? task : `${task}\nAbove all keep what concerns: ${focus}`;
      const request = { model, system, messages: [{ role: 'user' as const, text }], tools: [] };
      const answer = new AnswerParts(provider.id, model);
      const asked = { request, provider: provider.id, tier: 'utility' as const, pay };
      for await (const event of paidStream(provider.stream(request, signal), asked)) answer.add(event);
      if (!answer.stop) throw new TransientError('stream_truncated', 'The summary ended in the middle');
      return answer.text;
    },
  };
}
