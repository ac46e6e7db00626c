import type { ChatResponse } from 'ollama';
import type { ModelEvent } from '#agent';

/** The pieces of one answer. Calls come whole; the last piece says why it ended and what it counted. */
export async function* readOllama(pieces: AsyncIterable<ChatResponse>): AsyncGenerator<ModelEvent> {
  let calls = 0;
  for await (const { message, done, done_reason: why, prompt_eval_count: input, eval_count: output } of pieces) {
    if (message?.thinking) yield { type: 'reasoning', text: message.thinking };
    if (message?.content) yield { type: 'text', text: message.content };
    for (const { function: called } of message?.tool_calls ?? []) {
      calls += 1;
      yield { type: 'tool_call', id: '', name: called.name, arguments: JSON.stringify(called.arguments ?? {}) };
    }
    if (!done) continue;
    if (input !== undefined || output !== undefined)
      yield { type: 'usage', usage: { inputTokens: input ?? 0, outputTokens: output ?? 0 } };
    const reason = why === 'length' ? 'length' : calls > 0 ? 'tool_calls' : 'stop';
    yield { type: 'stop', reason };
  }
}
