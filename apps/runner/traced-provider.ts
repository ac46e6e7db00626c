import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { ToolCall } from '#contracts';
import { systemClock } from '#kernel';
import { answerAttributes, answerContent, askedContent, chatSpan, errorType, Span, tracing, usageAttributes } from '#telemetry';

/** A provider whose every request is a span, from the question to the last word. */
export class TracedProvider implements ModelProvider {
  constructor(private readonly provider: ModelProvider) {}

  get id(): string {
    return this.provider.id;
  }

  get account(): string | undefined {
    return this.provider.account;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const span = Span.open(chatSpan({ provider: this.id, model: request.model }));
    const answer = new TracedAnswer(span);
    if (tracing().content) span.set(askedContent(request.system, request.messages));
    try {
      for await (const event of this.provider.stream(request, signal)) {
        answer.add(event);
        yield event;
      }
    } catch (error) {
      span.fail(signal.aborted ? 'aborted' : errorType(error));
      throw error;
    } finally {
      answer.end();
    }
  }
}

class TracedAnswer {
  private readonly began = systemClock.monotonic();
  private firstChunkMs: number | undefined;
  private finish: string | undefined;
  private text = '';
  private readonly calls: ToolCall[] = [];

  constructor(private readonly span: Span) {}

  add(event: ModelEvent): void {
    if (event.type !== 'limits') this.firstChunkMs ??= systemClock.monotonic() - this.began;
    if (event.type === 'usage') this.span.set(usageAttributes(event.usage));
    if (event.type === 'stop') this.finish = event.reason;
    if (!tracing().content) return;
    if (event.type === 'text') this.text += event.text;
    if (event.type === 'tool_call') this.calls.push({ id: event.id, name: event.name, arguments: event.arguments });
  }

  /** A reader that stops in the middle, a stopped turn, ends it too. */
  end(): void {
    const { finish, firstChunkMs, text, calls } = this;
    this.span.set(answerAttributes({ finish, firstChunkMs }));
    if (tracing().content) this.span.set(answerContent(text, calls));
    this.span.end();
  }
}
