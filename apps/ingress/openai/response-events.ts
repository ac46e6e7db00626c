import type { Envelope, Usage } from '#contracts';
import { openAiError } from '../http/openai-error.js';
import type { Problem } from '../http/problem.js';
import { responseId } from './response-id.js';
import type { ResponsesRequest } from './responses-request.schema.js';

/** One response, as OpenAI's Responses API writes it: whole, or event by event. It has one message. */
export class ResponseEvents {
  private readonly itemId: string;
  private readonly base;
  private sequence = 0;

  constructor({ session, id, at }: Envelope, { model, instructions, previous_response_id, metadata }: ResponsesRequest) {
    this.itemId = `msg_${id}`;
    this.base = {
      id: responseId(session, id),
      object: 'response',
      created_at: Math.floor(at / 1000),
      error: null,
      incomplete_details: null,
      instructions: instructions ?? null,
      metadata: metadata ?? {},
      model,
      parallel_tool_calls: false,
      previous_response_id: previous_response_id ?? null,
      temperature: null,
      text: { format: { type: 'text' } },
      tool_choice: 'none',
      tools: [],
      top_p: null,
      truncation: 'disabled',
      usage: null,
    };
  }

  whole(text: string, usage: Usage | undefined) {
    const counted = usage && usageOf(usage);
    return { ...this.base, status: 'completed', output: [this.item('completed', [part(text)])], usage: counted ?? null };
  }

  begin() {
    const response = { ...this.base, status: 'in_progress', output: [] };
    return [
      this.event('response.created', { response }),
      this.event('response.in_progress', { response }),
      this.event('response.output_item.added', { output_index: 0, item: this.item('in_progress', []) }),
      this.event('response.content_part.added', { ...this.place, part: part('') }),
    ];
  }

  words(delta: string) {
    return this.event('response.output_text.delta', { ...this.place, delta, logprobs: [] });
  }

  /** @param text the whole, as it counts */
  end(text: string, usage: Usage | undefined) {
    return [
      this.event('response.output_text.done', { ...this.place, text, logprobs: [] }),
      this.event('response.content_part.done', { ...this.place, part: part(text) }),
      this.event('response.output_item.done', { output_index: 0, item: this.item('completed', [part(text)]) }),
      this.event('response.completed', { response: this.whole(text, usage) }),
    ];
  }

  failed(problem: Problem) {
    const { code, message } = openAiError(problem);
    return this.event('response.failed', { response: { ...this.base, status: 'failed', output: [], error: { code, message } } });
  }

  private get place() {
    return { item_id: this.itemId, output_index: 0, content_index: 0 };
  }

  private item(status: string, content: object[]) {
    return { id: this.itemId, type: 'message', role: 'assistant', status, content };
  }

  private event(type: string, fields: object) {
    return { type, sequence_number: this.sequence++, ...fields };
  }
}

function part(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 }: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
