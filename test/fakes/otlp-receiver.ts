import { z } from 'zod';
import { startScriptedServer, type ScriptedServer } from './scripted-server.js';

const valueSchema = z
  .object({
    stringValue: z.string(),
    intValue: z.coerce.number(),
    doubleValue: z.number(),
    boolValue: z.boolean(),
    arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })).default([]) }),
  })
  .partial();
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)])));
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number().transform((kind) => KINDS[kind] ?? String(kind)),
  attributes: attributesSchema,
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  events: z.array(z.unknown()).default([]),
});
const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

export interface ReceivedSpan extends z.output<typeof spanSchema> {
  /** `service.name` of the process. */
  service: string;
  resource: Record<string, unknown>;
}

/** Takes spans as a collector does: OTLP over HTTP, as JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that came, as it came. */
  readonly bodies: string[] = [];
  #server: ScriptedServer | undefined;

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server = await startScriptedServer({
      record: ({ path, body }) => {
        if (path !== '/v1/traces') throw new Error(`Traces come to /v1/traces, not to ${path}`);
        receiver.#take(body);
        return () => undefined;
      },
      answer: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }),
    });
    return receiver;
  }

  /** For a process whose spans are to come here, soon after they end. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.#server?.url ?? '',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  of(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #take(body: string): void {
    this.bodies.push(body);
    for (const { resource, scopeSpans } of exportSchema.parse(JSON.parse(body)).resourceSpans) {
      const service = String(resource.attributes['service.name']);
      for (const { spans } of scopeSpans)
        this.spans.push(...spans.map((span) => ({ ...span, service, resource: resource.attributes })));
    }
  }
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: z.output<typeof valueSchema>): unknown {
  return stringValue ?? intValue ?? doubleValue ?? boolValue ?? arrayValue?.values.map((value) => value.stringValue);
}
