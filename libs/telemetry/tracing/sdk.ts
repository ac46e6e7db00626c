import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import { envDetector, hostDetector, resourceFromAttributes, serviceInstanceIdDetector } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from '../logger.js';

export interface TracedProcess {
  /** Of the process: ingress, runner, dispatcher ... */
  name: string;
  version: string;
  /** What is logged of what the SDK says about itself. */
  logLevel: string;
}

/**
 * The SDK with its own environment variables. Traces alone: metrics are Prometheus's, log lines go to stdout. The process detector
 * is left out: a command line may hold a secret.
 */
export function openSdk({ name, version, logLevel }: TracedProcess, logger: Logger): () => Promise<void> {
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({
      'service.namespace': 'turnpike',
      'service.name': `turnpike-${name}`,
      'service.version': version,
    }),
    // Later ones count: what the environment says of the service is its word.
    resourceDetectors: [serviceInstanceIdDetector, hostDetector, envDetector],
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  diag.setLogger(diagnostics(logger), { logLevel: levelOf(logLevel), suppressOverrideMessage: true });
  sdk.start();
  return () => sdk.shutdown().catch((error: unknown) => logger.warn({ err: error }, 'The last spans could not be sent'));
}

function levelOf(name: string): DiagLogLevel {
  const level: unknown = DiagLogLevel[name.trim().toUpperCase() as keyof typeof DiagLogLevel];
  return typeof level === 'number' ? level : DiagLogLevel.INFO;
}

/** A collector that is away is no error of this process. */
function diagnostics(logger: Logger): DiagLogger {
  return {
    error: (message) => logger.warn({ detail: message }, 'OpenTelemetry'),
    warn: (message) => logger.warn({ detail: message }, 'OpenTelemetry'),
    info: (message) => logger.debug({ detail: message }, 'OpenTelemetry'),
    debug: (message) => logger.trace({ detail: message }, 'OpenTelemetry'),
    verbose: (message) => logger.trace({ detail: message }, 'OpenTelemetry'),
  };
}
