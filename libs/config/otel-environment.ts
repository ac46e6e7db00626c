import type { Env } from './environment.js';

export interface TracingConfig {
  on: boolean;
  /** Messages, arguments and results go into spans. */
  content: boolean;
  /** Of what the SDK says about itself. */
  logLevel: string;
}

/**
 * What OpenTelemetry's own variables ask for. Traces are on where one of them names a place for them, or an exporter; everything else
 * about them (sampler, protocol, headers, batching, resource) the SDK reads itself. An empty variable counts as unset.
 */
export function readTracing(env: Env = process.env): TracingConfig {
  const content = env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim().toLowerCase() ?? '';
  return {
    on: isAskedFor(env),
    content: ['true', 'span_only', 'span_and_event'].includes(content),
    logLevel: env.OTEL_LOG_LEVEL || 'info',
  };
}

function isAskedFor(env: Env): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const exporter = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporter) return exporter !== 'none';
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}
