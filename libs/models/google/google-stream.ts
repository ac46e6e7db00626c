import type { Candidate, GenerateContentResponse, GenerateContentResponseUsageMetadata } from '@google/genai';
import type { ModelEvent, StopReason } from '#agent';
import type { Usage } from '#contracts';
import { untilBroken } from '../wire/until-broken.js';

const STOP_REASONS: Record<string, StopReason> = {
  MAX_TOKENS: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
};

/** The pieces of one answer. Calls come whole on this wire; a prompt that is blocked has no candidate at all. */
export async function* readGoogle(pieces: AsyncIterable<GenerateContentResponse>): AsyncGenerator<ModelEvent> {
  let counted: GenerateContentResponseUsageMetadata | undefined;
  let reason: StopReason | undefined;
  let calls = 0;
  for await (const { candidates, usageMetadata, promptFeedback } of untilBroken(pieces, () => reason !== undefined)) {
    counted = usageMetadata ?? counted;
    if (promptFeedback?.blockReason) reason = 'refusal';
    const [candidate] = candidates ?? [];
    for (const event of partsOf(candidate)) {
      if (event.type === 'tool_call') calls += 1;
      yield event;
    }
    if (candidate?.finishReason) reason = STOP_REASONS[candidate.finishReason] ?? 'stop';
  }
  if (counted) yield { type: 'usage', usage: usageOf(counted) };
  if (reason !== undefined) yield { type: 'stop', reason: reason === 'stop' && calls > 0 ? 'tool_calls' : reason };
}

function* partsOf(candidate: Candidate | undefined): Generator<ModelEvent> {
  for (const { text, thought, functionCall, thoughtSignature: signature } of candidate?.content?.parts ?? []) {
    if (text) yield { type: thought ? 'reasoning' : 'text', text };
    if (functionCall?.name) {
      const { id = '', name, args = {} } = functionCall;
      yield { type: 'tool_call', id, name, arguments: JSON.stringify(args), ...(signature && { signature }) };
    }
  }
}

/** The wire counts thoughts apart from the answer. */
function usageOf(counted: GenerateContentResponseUsageMetadata): Usage {
  const { promptTokenCount = 0, toolUsePromptTokenCount = 0, candidatesTokenCount = 0 } = counted;
  const { thoughtsTokenCount = 0, cachedContentTokenCount = 0 } = counted;
  return {
    inputTokens: promptTokenCount + toolUsePromptTokenCount,
    outputTokens: candidatesTokenCount + thoughtsTokenCount,
    ...(cachedContentTokenCount > 0 && { cacheReadTokens: cachedContentTokenCount }),
    ...(thoughtsTokenCount > 0 && { reasoningTokens: thoughtsTokenCount }),
  };
}
