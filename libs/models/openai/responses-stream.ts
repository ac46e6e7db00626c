import type {
  Response,
  ResponseReasoningItem,
  ResponsesServerEvent,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { OpenAIError } from 'openai';
import type { ModelEvent } from '#agent';
import type { Usage } from '#contracts';

/** Over HTTP or a socket, where errors do not come as events. */
export type ResponsesEvent = ResponseStreamEvent | Exclude<ResponsesServerEvent, { type: 'error' }>;

/** A response that failed after it had begun. */
export class ResponseFailed extends OpenAIError {
  constructor(
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The events of one response. Only its completion makes it whole.
 * @param account whose thoughts these are: what is encrypted for one organization is refused from another
 */
export async function* readResponses(pieces: AsyncIterable<ResponsesEvent>, account: string): AsyncGenerator<ModelEvent> {
  /** By their place in the output. */
  const begun = new Map<number, number>();
  let calls = 0;
  let refused = false;
  for await (const piece of pieces) {
    switch (piece.type) {
      case 'response.output_text.delta':
        if (piece.delta) yield { type: 'text', text: piece.delta };
        break;
      case 'response.refusal.delta':
        refused = true;
        yield { type: 'text', text: piece.delta };
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        yield { type: 'reasoning', text: piece.delta };
        break;
      case 'response.output_item.added':
        if (piece.item.type !== 'function_call') break;
        begun.set(piece.output_index, begun.size);
        yield { type: 'tool_call_start', index: begun.size - 1, name: piece.item.name };
        break;
      case 'response.function_call_arguments.delta': {
        const index = begun.get(piece.output_index);
        if (index !== undefined && piece.delta) yield { type: 'tool_call_delta', index, arguments: piece.delta };
        break;
      }
      case 'response.output_item.done':
        if (piece.item.type === 'reasoning') yield* thoughtOf(piece.item, account);
        if (piece.item.type !== 'function_call') break;
        calls += 1;
        yield { type: 'tool_call', id: piece.item.call_id || '', name: piece.item.name, arguments: piece.item.arguments };
        break;
      case 'response.completed':
      case 'response.incomplete':
        yield* endOf(piece.response, calls, refused);
        break;
      case 'response.failed':
        throw new ResponseFailed(piece.response.error?.code ?? null, piece.response.error?.message ?? 'The response failed');
      case 'error':
        throw new ResponseFailed(piece.code, piece.message);
      default:
    }
  }
}

/** Without its encryption a thought can't be given back. */
function* thoughtOf({ id, encrypted_content: signature }: ResponseReasoningItem, account: string): Generator<ModelEvent> {
  if (signature) yield { type: 'thought', id, text: '', signature, account };
}

function* endOf({ usage, incomplete_details: incomplete }: Response, calls: number, refused: boolean): Generator<ModelEvent> {
  if (usage) yield { type: 'usage', usage: usageOf(usage) };
  if (incomplete?.reason === 'max_output_tokens') yield { type: 'stop', reason: 'length' };
  else if (refused || incomplete?.reason === 'content_filter') yield { type: 'stop', reason: 'refusal' };
  else yield { type: 'stop', reason: calls > 0 ? 'tool_calls' : 'stop' };
}

/** Compatible servers leave the details out. */
function usageOf({ input_tokens, output_tokens, ...details }: ResponseUsage): Usage {
  const { input_tokens_details: input, output_tokens_details: output } = details as Partial<ResponseUsage>;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(input?.cached_tokens && { cacheReadTokens: input.cached_tokens }),
    ...(input?.cache_write_tokens && { cacheWriteTokens: input.cache_write_tokens }),
    ...(output?.reasoning_tokens && { reasoningTokens: output.reasoning_tokens }),
  };
}
