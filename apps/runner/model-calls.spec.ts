import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import { TransientError } from '#kernel';
import { ModelBudgets, ModelHealth } from '#limits';
import { connect, Keyspace, type RedisClient } from '#redis';
import { createLogger, Metrics } from '#telemetry';
import { BLIND } from '../../test/fakes/blind.js';
import { ModelCalls } from './model-calls.service.js';

const REQUEST: ModelRequest = { model: 'm', system: '', messages: [{ role: 'user', text: 'hi' }], tools: [] };
const keyspace = new Keyspace(1, 'model-calls-spec:');
const { logger } = createLogger({ level: 'silent', name: 'test' });
const metrics = new Metrics({ version: '0', app: 'runner' });
let redis: RedisClient;
let accounts = 0;

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'worker');
  await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

type Streams = (signal: AbortSignal) => AsyncGenerator<ModelEvent>;

/** A runner and a provider key of its own that answers like this. */
function world(stream: Streams, limits = { requestsPerMinute: 0, tokensPerMinute: 0 }) {
  const budgets = new ModelBudgets(redis, keyspace);
  const calls = new ModelCalls(budgets, new ModelHealth(redis, keyspace), () => limits, BLIND, metrics, logger);
  const settled = vi.spyOn(budgets, 'settle');
  const reserved = vi.spyOn(budgets, 'reserve');
  const account = `account-${++accounts}`;
  const provider: ModelProvider = { id: 'openai', account, stream: (_, signal) => stream(signal) };
  const budgeted = calls.budgeted(provider, { ticket: 't', tenant: 'a' });
  const ask = async (signal = new AbortController().signal): Promise<ModelEvent[]> => {
    const events: ModelEvent[] = [];
    for await (const event of budgeted.stream(REQUEST, signal)) events.push(event);
    return events;
  };
  return { ask, settled, reserved, budgeted, budgets, name: { account, model: 'm' } };
}

const usage: ModelEvent = { type: 'usage', usage: { inputTokens: 30, outputTokens: 12 } };
const stop: ModelEvent = { type: 'stop', reason: 'stop' };
const LIMITED = { requestsPerMinute: 100, tokensPerMinute: 100_000 };

test('QU-5 a key that nobody limits costs no round trip', async () => {
  async function* silent(): AsyncGenerator<ModelEvent> {
    yield usage;
    yield stop;
  }
  const { ask, settled, reserved } = world(silent);
  expect(await ask()).toEqual([usage, stop]);
  expect([reserved.mock.calls.length, settled.mock.calls.length]).toEqual([0, 0]);
});

test('QU-5 what a provider says of its limits counts from the next call on, and the turn does not read it', async () => {
  async function* telling(): AsyncGenerator<ModelEvent> {
    yield { type: 'limits', requests: { limit: 2, remaining: 1 }, tokens: { limit: undefined, remaining: undefined } };
    yield stop;
  }
  const { ask, reserved, settled } = world(telling);
  expect(await ask()).toEqual([stop]);
  await settled.mock.results[0]?.value;
  expect(await ask()).toEqual([stop]);
  expect(reserved).toHaveBeenCalledTimes(1);
  await expect(ask()).rejects.toMatchObject({ name: 'NotNowError', afterMs: expect.any(Number) });
  expect(settled).toHaveBeenCalledTimes(2);
});

test('QU-5 a call is settled once: answered, broken, cancelled or left by its reader', async () => {
  async function* answering(): AsyncGenerator<ModelEvent> {
    yield usage;
    yield stop;
  }
  async function* breaking(): AsyncGenerator<ModelEvent> {
    yield { type: 'text', text: 'half' };
    throw new TransientError('network', 'broke off');
  }
  async function* waiting(signal: AbortSignal): AsyncGenerator<ModelEvent> {
    yield { type: 'text', text: 'half' };
    await once(signal, 'abort');
    signal.throwIfAborted();
  }
  const [answered, broken, cancelled, left] = [answering, breaking, waiting, answering].map((each) => world(each, LIMITED));
  await answered?.ask();
  await expect(broken?.ask()).rejects.toThrow('broke off');
  const abort = new AbortController();
  const running = cancelled?.ask(abort.signal);
  await vi.waitUntil(() => cancelled?.reserved.mock.settledResults[0]?.type === 'fulfilled');
  abort.abort(new Error('/stop'));
  await expect(running).rejects.toThrow('/stop');
  for await (const event of left?.budgeted.stream(REQUEST, abort.signal) ?? []) if (event) break;
  const ends = [answered, broken, cancelled, left].map((each) => each?.settled.mock.calls.map(([, , end]) => end));
  expect(ends).toEqual([
    [expect.objectContaining({ outcome: 'ok', tokensUsed: 42 })],
    [expect.objectContaining({ outcome: 'failed', tokensUsed: undefined })],
    [expect.objectContaining({ outcome: 'failed', tokensUsed: undefined })],
    [expect.objectContaining({ outcome: 'failed', tokensUsed: 42 })],
  ]);
});

test('QU-5 a 429 pauses the key for another runner too', async () => {
  async function* refusing(): AsyncGenerator<ModelEvent> {
    yield { type: 'reasoning', text: 'hm' };
    throw new TransientError('rate_limit', 'slow down', 30_000);
  }
  const { ask, settled, name } = world(refusing);
  await expect(ask()).rejects.toMatchObject({ code: 'rate_limit' });
  await settled.mock.results[0]?.value;
  const other = new ModelBudgets(redis, keyspace);
  await other.start();
  other.stop();
  expect(other.isKnown(name)).toBe(true);
  await expect(ask()).rejects.toMatchObject({ name: 'NotNowError' });
});
