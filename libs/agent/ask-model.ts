import type { Spent, Tier } from '#contracts';
import { TransientError } from '#kernel';
import { AnswerParts } from './answer-parts.js';
import type { ModelProvider } from './model-port.js';
import { paidStream } from './paid-stream.js';

/**
 * One question to a model outside of the conversation, and its whole answer.
 * @param pay told what it cost, also when it fails. Throws as ModelProvider does, and TransientError for a truncated answer.
 */
export async function askModel(
  { provider, model, tier }: { provider: ModelProvider; model: string; tier: Tier },
  { system, text }: { system: string; text: string },
  pay: (spent: Spent | undefined) => void,
  signal: AbortSignal,
): Promise<string> {
  const request = { model, system, messages: [{ role: 'user' as const, text }], tools: [] };
  const answer = new AnswerParts(provider.id, model);
  const asked = { request, provider: provider.id, tier, pay };
  for await (const event of paidStream(provider.stream(request, signal), asked)) answer.add(event);
  if (!answer.stop) throw new TransientError('stream_truncated', 'The answer ended in the middle');
  return answer.text;
}
