import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { traceContextSchema, type TraceContext } from '#contracts';
import { openSpanOf, type Span, type SpanSpec } from '#telemetry';

/** Signed by a platform: nobody there is a part of our traces, and a stranger could have everything sampled. */
const STRANGERS = '/webhooks/';

/**
 * Each request is a span, by the conventions of https://opentelemetry.io/docs/specs/semconv/http/; a caller of the API that traces
 * finds it in its own trace. An address may hold what is nobody's business: the span has the route.
 */
export function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const span = openSpanOf(placeOf(request), requestSpan(request));
    // Also where whoever asked has gone: nobody else ends an event stream.
    reply.raw.once('close', () => endSpan(span, reply));
    span.run(done);
  });
}

function requestSpan({ method, protocol, routeOptions: { url } }: FastifyRequest): SpanSpec {
  return {
    name: url === undefined ? method : `${method} ${url}`,
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': url, 'url.scheme': protocol },
  };
}

function endSpan(span: Span, { statusCode }: FastifyReply): void {
  span.set({ 'http.response.status_code': statusCode });
  if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}

function placeOf({ routeOptions: { url = '' }, headers }: FastifyRequest): TraceContext | undefined {
  return url.startsWith(STRANGERS) ? undefined : traceContextSchema.safeParse(headers).data;
}
