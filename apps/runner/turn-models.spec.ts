import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ModelProvider, ModelRequest } from '#agent';
import { loadConfig } from '#config';
import { NotNowError, TransientError } from '#kernel';
import { ModelBudgets, ModelHealth } from '#limits';
import { ModelRegistry } from '#models';
import { connect, Keyspace, type RedisClient } from '#redis';
import { createLogger, Metrics } from '#telemetry';
import { BLIND } from '../../test/fakes/blind.js';
import { ModelCalls } from './model-calls.service.js';
import { SessionKeys } from './session-keys.js';
import { TurnModels } from './turn-models.js';

const REQUEST: ModelRequest = { model: 'm', system: '', messages: [{ role: 'user', text: 'hi' }], tools: [] };
const never = new AbortController().signal;
const keyspace = new Keyspace(1, 'turn-models-spec:');
const { logger } = createLogger({ level: 'silent', name: 'test' });
const metrics = new Metrics({ version: '0', app: 'runner' });
const config = loadConfig({ env: {} });
const agent = {
  ...(config.agents.main ?? expect.fail()),
  model: 'a/main',
  fallbacks: ['b/one', 'gone/x', 'quick', 'a/main', 'b/one'],
};
let redis: RedisClient;

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'worker');
  await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

/** Providers that all fail like this; which were asked, by `account/model`. */
function world({
  chosen,
  failedCalls = 0,
  error = new NotNowError(900, 'm'),
}: { chosen?: string; failedCalls?: number; error?: Error } = {}) {
  const asked: string[] = [];
  const provider = (id: string, account: string): ModelProvider => ({
    id,
    account,
    async *stream({ model }) {
      asked.push(`${account}/${model}`);
      yield* [];
      throw error;
    },
  });
  const registry = new ModelRegistry([provider('a', 'a1'), provider('a', 'a2'), provider('b', 'b1'), provider('c', 'c1')]);
  const calls = new ModelCalls(
    new ModelBudgets(redis, keyspace),
    new ModelHealth(redis, keyspace),
    () => ({ requestsPerMinute: 0, tokensPerMinute: 0 }),
    BLIND,
    metrics,
    logger,
  );
  const models = new TurnModels(
    { config, agent, models: registry.under({ quick: 'c/fast' }), calls, keys: new SessionKeys([], calls), metrics, logger },
    { turnId: 't', tenant: 'acme', session: 's', chosen, failedCalls },
  );
  const ask = async (name: string): Promise<unknown> => {
    const { provider: chain } = models.resolve(name);
    try {
      for await (const event of chain.stream(REQUEST, never)) if (event.type === 'stop') return;
    } catch (thrown) {
      return thrown;
    }
  };
  return { models, ask, asked };
}
const modelsOf = (asked: readonly string[]) => asked.map((one) => one.replace(/^([a-c])\d/, '$1'));

describe('MO-3 who stands in for a model', () => {
  test('MO-3 its other keys, then the fallbacks in order, each once; unknown ones are left out', async () => {
    const { ask, asked } = world();
    await ask('a/main');
    expect(modelsOf(asked)).toEqual(['a/m', 'a/m', 'b/one', 'c/fast']);
    expect(new Set(asked.slice(0, 2)).size).toBe(2);
  });

  test("MO-3 behind a model that a hook chose stand the fallbacks, and the agent's own last", async () => {
    const { ask, asked } = world();
    await ask('c/other');
    expect(modelsOf(asked)).toEqual(['c/m', 'b/one', 'c/fast', 'a/main', 'a/main']);
  });

  test('MO-3 a model that /model chose answers, or nobody', async () => {
    const { ask, asked } = world({ chosen: 'quick' });
    expect(await ask('quick')).toBeInstanceOf(NotNowError);
    expect(asked).toEqual(['c1/m']);
  });

  test('MO-3 what is not there is an error for who names it', () => {
    expect(() => world().models.resolve('gone/x')).toThrow('There is no model provider "gone"');
  });
});

test('MO-3 a turn counts its failed calls over all attempts, and stops when it has made too many', async () => {
  const error = new TransientError('timeout', 'silent');
  const fresh = world({ error });
  expect(await fresh.ask('a/main')).toBe(error);
  expect([fresh.models.failedCalls, fresh.models.mayGoOn]).toEqual([3, true]);
  // Four keys: 24 + 4 x 8.
  const late = world({ error, failedCalls: 54 });
  expect(await late.ask('a/main')).toBe(error);
  expect([late.asked.length, late.models.failedCalls, late.models.mayGoOn]).toEqual([2, 2, false]);
});
