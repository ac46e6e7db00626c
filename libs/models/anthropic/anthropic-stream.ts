import type { MessageDeltaUsage, RawMessageStreamEvent, Usage as WireUsage } from '@anthropic-ai/sdk/resources/messages';
import type { ModelEvent, StopReason } from '#agent';
import type { ToolCall } from '#contracts';

const STOP_REASONS: Record<string, StopReason> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
};

interface OpenCall {
  /** Among the calls of its answer. */
  index: number;
  call: Omit<ToolCall, 'signature'>;
}

/** A thought that goes on. */
interface OpenThought {
  text: string;
  signature: string;
}

/** The events of one message. Only `message_stop` makes it whole; what it counted comes in two parts. */
export async function* readAnthropic(pieces: AsyncIterable<RawMessageStreamEvent>): AsyncGenerator<ModelEvent> {
  const open = new Map<number, OpenCall>();
  const thoughts = new Map<number, OpenThought>();
  let calls = 0;
  let counted: Partial<WireUsage | MessageDeltaUsage> = {};
  let reason: StopReason | undefined;
  for await (const piece of pieces) {
    switch (piece.type) {
      case 'message_start':
        counted = { ...piece.message.usage };
        break;
      case 'content_block_start':
        if (piece.content_block.type === 'text' && piece.content_block.text)
          yield { type: 'text', text: piece.content_block.text };
        if (piece.content_block.type === 'tool_use') {
          const { id, name } = piece.content_block;
          const index = calls++;
          open.set(piece.index, { index, call: { id: id || '', name, arguments: '' } });
          yield { type: 'tool_call_start', index, name };
        }
        if (piece.content_block.type === 'thinking') thoughts.set(piece.index, { text: '', signature: '' });
        if (piece.content_block.type === 'redacted_thinking')
          yield { type: 'thought', text: '', signature: piece.content_block.data, redacted: true };
        break;
      case 'content_block_delta':
        keep(piece, thoughts);
        yield* deltaOf(piece, open);
        break;
      case 'content_block_stop': {
        const begun = open.get(piece.index);
        if (begun) yield { type: 'tool_call', ...begun.call };
        open.delete(piece.index);
        const thought = thoughts.get(piece.index);
        if (thought?.signature) yield { type: 'thought', ...thought };
        thoughts.delete(piece.index);
        break;
      }
      case 'message_delta':
        counted = { ...counted, ...present(piece.usage ?? {}) };
        if (piece.delta.stop_reason) reason = STOP_REASONS[piece.delta.stop_reason] ?? 'stop';
        break;
      case 'message_stop':
        if (Object.keys(counted).length > 0) yield { type: 'usage', usage: usageOf(counted) };
        if (reason !== undefined) yield { type: 'stop', reason };
    }
  }
}

type Delta = Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>;

function keep({ index, delta }: Delta, thoughts: ReadonlyMap<number, OpenThought>): void {
  const thought = thoughts.get(index);
  if (thought && delta.type === 'thinking_delta') thought.text += delta.thinking ?? '';
  if (thought && delta.type === 'signature_delta') thought.signature += delta.signature;
}

function* deltaOf({ index, delta }: Delta, open: ReadonlyMap<number, OpenCall>): Generator<ModelEvent> {
  if (delta.type === 'text_delta' && delta.text) yield { type: 'text', text: delta.text };
  if (delta.type === 'thinking_delta' && delta.thinking) yield { type: 'reasoning', text: delta.thinking };
  const begun = open.get(index);
  if (delta.type !== 'input_json_delta' || !begun || !delta.partial_json) return;
  begun.call.arguments += delta.partial_json;
  yield { type: 'tool_call_delta', index: begun.index, arguments: delta.partial_json };
}

/** The wire counts what it read from its cache, and wrote there, apart from the rest of the input. */
function usageOf({
  input_tokens: fresh,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
}: Partial<WireUsage | MessageDeltaUsage>) {
  const [cacheReadTokens, cacheWriteTokens] = [read ?? 0, written ?? 0];
  return {
    inputTokens: (fresh ?? 0) + cacheReadTokens + cacheWriteTokens,
    outputTokens: output ?? 0,
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}

function present<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as Partial<T>;
}
