import type { Spent, Thought, Tier, ToolCall, Usage } from '#contracts';
import { visiblePart } from './hidden-reasoning.js';
import type { ModelEvent, StopReason } from './model-port.js';

/** What has come of one answer. A restart empties it. */
export class AnswerParts {
  text = '';
  toolCalls: ToolCall[] = [];
  reasoning: Thought[] = [];
  usage: Usage | undefined;
  stop: StopReason | undefined;

  /** Who was asked; `provider` and `model` say who answers. */
  constructor(
    public provider: string,
    public model: string,
  ) {}

  /** What the provider says it has counted; undefined when it says nothing. */
  spent(tier: Tier): Spent | undefined {
    const { usage } = this;
    const counted = usage && usage.inputTokens + usage.outputTokens > 0;
    return counted ? { model: `${this.provider}/${this.model}`, tier, ...usage } : undefined;
  }

  /** Reasoning that a model wrote as text says nothing. */
  get isEmpty(): boolean {
    return this.toolCalls.length === 0 && visiblePart(this.text).trim() === '';
  }

  add(event: ModelEvent): void {
    switch (event.type) {
      case 'text':
        this.text += event.text;
        break;
      case 'tool_call':
        this.toolCalls.push(this.#callOf(event));
        break;
      case 'thought': {
        const { type: _, ...thought } = event;
        this.reasoning.push({ provider: this.provider, model: this.model, ...thought });
        break;
      }
      case 'usage':
        this.usage = event.usage;
        break;
      case 'stop':
        this.stop = event.reason;
        break;
      case 'answering':
        this.usage = undefined;
        this.provider = event.model.slice(0, event.model.indexOf('/'));
        this.model = event.model.slice(event.model.indexOf('/') + 1);
        break;
      case 'restart':
        this.text = '';
        this.toolCalls = [];
        this.reasoning = [];
        this.usage = undefined;
        break;
      case 'reasoning':
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'limits':
        break;
    }
  }

  #callOf({ id, name, arguments: args, signature }: Extract<ModelEvent, { type: 'tool_call' }>): ToolCall {
    return { id, name, arguments: args, ...(signature && { signature: { provider: this.provider, text: signature } }) };
  }
}
