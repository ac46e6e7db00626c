import type { Envelope, Usage } from '#contracts';

/** The bodies of one chat completion, as OpenAI's clients read them. */
export class ChatCompletion {
  private readonly head: { id: string; created: number; model: string };

  constructor({ id, at }: Envelope, model: string) {
    this.head = { id: `chatcmpl-${id}`, created: Math.floor(at / 1000), model };
  }

  whole(text: string, usage: Usage | undefined) {
    const message = { role: 'assistant', content: text, refusal: null };
    return {
      ...this.head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      ...(usage && { usage: usageOf(usage) }),
    };
  }

  chunk(delta: { role?: 'assistant'; content?: string }, finish_reason: 'stop' | null = null) {
    return { ...this.head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] };
  }

  /** Behind all others, where the client asked for it. */
  usageChunk(usage: Usage = { inputTokens: 0, outputTokens: 0 }) {
    return { ...this.head, object: 'chat.completion.chunk', choices: [], usage: usageOf(usage) };
  }
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
