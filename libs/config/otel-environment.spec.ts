import { expect, test } from 'vitest';
import { readTracing } from './otel-environment.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'mine', OTEL_TRACES_SAMPLER: 'always_on' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [ENDPOINT, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: '' }, true],
  [{ OTEL_TRACES_EXPORTER: 'console' }, true],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
])('OP-4 %j asks for traces: %s', (env, on) => {
  expect(readTracing(env)).toEqual({ on, content: false, logLevel: 'info' });
});

test.each([
  ['true', true],
  ['SPAN_ONLY', true],
  ['span_and_event', true],
  ['event_only', false],
  ['false', false],
  ['', false],
])('OP-4 content is in spans only where it is asked for: %s', (value, content) => {
  expect(readTracing({ ...ENDPOINT, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value }).content).toBe(content);
});
