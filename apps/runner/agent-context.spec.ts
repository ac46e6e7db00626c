import { expect, test } from 'vitest';
import { defaultEngine, FallbackEngine } from '#agent';
import { createLogger, Metrics } from '#telemetry';
import { engineFailures } from './agent-context.js';

test('CX-1 a context engine that fails is counted and logged, by operation', async () => {
  const written: string[] = [];
  const { logger } = createLogger({ level: 'info', name: 'runner', destination: { write: (line) => written.push(line) } });
  const metrics = new Metrics({ version: '0', app: 'runner' });
  const broken = { ...defaultEngine, id: 'theirs', ingest: () => Promise.reject(new Error('no index')) };
  await new FallbackEngine(broken, engineFailures(metrics, logger)).ingest({
    tenant: 't',
    session: 's',
    turn: 'x',
    messages: [],
  });
  expect(await metrics.text()).toContain('turnpike_context_engine_failures_total{operation="ingest"} 1');
  expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level: 'error',
      engine: 'theirs',
      operation: 'ingest',
      err: expect.objectContaining({ message: 'no index' }),
    }),
  ]);
});
