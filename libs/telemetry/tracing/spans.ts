import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
} from '@opentelemetry/api';
import type { TraceContext } from '#contracts';

/** undefined is left out. Keys are those of the OpenTelemetry conventions, or begin with `turnpike.`. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** What is timed. Names and kinds are those of the conventions: see gen-ai.ts and messaging.ts. */
export interface SpanSpec {
  name: string;
  kind: keyof typeof KINDS;
  attributes: Attributes;
  /** Other places that led here. */
  links?: readonly TraceContext[];
}

/** A span that has begun. Without a tracer everything about it does nothing. */
export class Span {
  private constructor(
    private readonly span: OtelSpan,
    private readonly at: Context,
  ) {}

  /** @param above default: what is going on */
  static open({ name, kind, attributes, links = [] }: SpanSpec, above: Context = context.active()): Span {
    const linked = links.flatMap((link) => trace.getSpanContext(contextOf(link)) ?? []).map((to) => ({ context: to }));
    const span = trace.getTracer('turnpike').startSpan(name, { kind: KINDS[kind], attributes, links: linked }, above);
    return new Span(span, trace.setSpan(above, span));
  }

  /** What `work` does, also later, belongs to this span. */
  run<T>(work: () => T): T {
    return context.with(this.at, work);
  }

  set(attributes: Attributes): void {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.span.setAttribute(key, value);
  }

  /** @param type a stable code of few values; never what the other side said: that may quote a message, or a key */
  fail(type: string): void {
    this.span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/** Times `work` as a part of what is going on. What it throws is the span's failure, and is thrown on. */
export function inSpan<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
  return within(Span.open(spec), work);
}

/** The same as a part of what `above` names, in whichever process that was; undefined: a trace of its own. */
export function inSpanOf<T>(above: TraceContext | undefined, spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
  return within(openSpanOf(above, spec), work);
}

export function openSpanOf(above: TraceContext | undefined, spec: SpanSpec): Span {
  return Span.open(spec, contextOf(above));
}

/** Of what is going on; undefined: nobody traces. */
export function currentTrace(): TraceContext | undefined {
  const carrier: Partial<TraceContext> = {};
  propagation.inject(context.active(), carrier);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** For log lines, under the names OpenTelemetry gives them there; nothing outside of a span. */
export function traceIds(): Record<string, string> {
  const at = trace.getSpanContext(context.active());
  return at ? { trace_id: at.traceId, span_id: at.spanId } : {};
}

/** What stands for an error in traces: its code, or what kind of error it is. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

async function within<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

function contextOf(place: TraceContext | undefined): Context {
  return place ? propagation.extract(ROOT_CONTEXT, place) : ROOT_CONTEXT;
}
