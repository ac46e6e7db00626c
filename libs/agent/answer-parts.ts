import type { Spent, Tier, ToolCall, Usage } from '#contracts';
import { visiblePart } from './hidden-reasoning.js';
import type { ModelEvent } from './model-port.js';

/** What has come of one answer. A restart empties it. */
export class AnswerParts {
  text = '';
  toolCalls: ToolCall[] = [];
  usage: Usage | undefined;
  stop: Extract<ModelEvent, { type: 'stop' }>['reason'] | undefined;

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
        this.toolCalls.push({ id: event.id, name: event.name, arguments: event.arguments });
        break;
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
        this.usage = undefined;
        break;
      case 'reasoning':
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'limits':
        break;
    }
  }
}
