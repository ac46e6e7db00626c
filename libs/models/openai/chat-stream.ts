import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import type { ModelEvent, StopReason } from '#agent';
import type { Usage } from '#contracts';
import { untilBroken } from '../wire/until-broken.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

const STOP_REASONS: Record<string, StopReason> = {
  length: 'length',
  content_filter: 'refusal',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
};

/** The chunks of one answer: whole only with a finish reason, which some servers send ahead of what they counted. */
export async function* readChat(chunks: AsyncIterable<ChatCompletionChunk>): AsyncGenerator<ModelEvent> {
  const calls = new ToolCallAssembler();
  let finish: string | undefined;
  for await (const chunk of untilBroken(chunks, () => finish !== undefined)) {
    if (chunk.usage) yield { type: 'usage', usage: usageOf(chunk.usage) };
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    yield* textOf(choice.delta);
    for (const delta of choice.delta?.tool_calls ?? []) yield* calls.add(delta);
    finish = choice.finish_reason ?? finish;
  }
  if (finish === undefined) return;
  const whole = calls.finish();
  for (const call of whole) yield { type: 'tool_call', ...call };
  const reason = STOP_REASONS[finish] ?? 'stop';
  yield { type: 'stop', reason: whole.length > 0 && reason === 'stop' ? 'tool_calls' : reason };
}

/** `reasoning_content` and `reasoning` are what compatible servers call it; the SDK knows neither. */
function* textOf(
  delta: (ChatCompletionChunk.Choice.Delta & { reasoning_content?: unknown; reasoning?: unknown }) | undefined,
): Generator<ModelEvent> {
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (typeof reasoning === 'string' && reasoning) yield { type: 'reasoning', text: reasoning };
  const text = delta?.content || delta?.refusal;
  if (text) yield { type: 'text', text };
}

function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details }: CompletionUsage): Usage {
  const cached = prompt_tokens_details?.cached_tokens;
  const reasoning = completion_tokens_details?.reasoning_tokens;
  return {
    inputTokens: prompt_tokens,
    outputTokens: completion_tokens,
    ...(cached && { cacheReadTokens: cached }),
    ...(reasoning && { reasoningTokens: reasoning }),
  };
}
