import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { Invocation } from '#contracts';

/** Stands where a model stands: asks for the one call, and has nothing to say about its result. The turn pays for nothing. */
export class OneCall implements ModelProvider {
  readonly id = 'invoke';

  constructor(
    private readonly turn: string,
    private readonly invocation: Invocation,
  ) {}

  async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const isDone = messages.at(-1)?.role === 'tool';
    const { tool: name, args } = this.invocation;
    if (isDone) yield { type: 'text', text: 'done' };
    else yield { type: 'tool_call', id: `${this.turn}-call`, name, arguments: JSON.stringify(args) };
    yield { type: 'usage', usage: { inputTokens: 0, outputTokens: 0 } };
    yield { type: 'stop', reason: isDone ? 'stop' : 'tool_calls' };
  }
}
