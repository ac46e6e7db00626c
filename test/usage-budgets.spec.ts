import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const TOKEN = 'test-admin-token-0000';
const GUARD = { timeout: 60_000 };

let redis: RedisServer;
let model: ModelServer;
let fleet: Fleet;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedis();
  model = await startModelServer({
    answer: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'it is two' }
        : { toolCalls: [{ name: 'calculator', arguments: { expression: '1+1' } }] },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: model.baseUrl,
    toolUrl: '',
    config: {
      agents: { main: { model: 'openai/m' } },
      models: { prices: { 'openai/m': { inputPerMillion: 1000, outputPerMillion: 10_000 } } },
      budgets: { session: { tokensPerDay: 1 } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await Promise.all([fleet.start('runner'), fleet.start('ingress')]);
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([model?.close(), redis?.stop()]);
});

async function get(path: string, body?: object): Promise<Record<string, unknown>> {
  const url = fleet.of('ingress')[0]?.url ?? expect.fail();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  return (await response.json()) as Record<string, unknown>;
}

async function turn(conversation: string, n: number) {
  await platform.sessions.accept(envelopeOf(targetOf(conversation), n, 'how much is it?'), ACCEPT);
  const records = await waitUntil(
    `turn ${n} of ${conversation} has ended`,
    () => platform.sessions.transcript(sessionOf(conversation), 9),
    ({ length }) => length === n,
  );
  return records.at(-1) ?? expect.fail();
}

proves(
  ['MO-5', 'TU-1'],
  'a runner killed between two answers: each is paid once, in the record, the session, the day and the API',
  async () => {
    const [runner = expect.fail()] = fleet.of('runner');
    await fleet.arm(runner, { at: 'turn.answered', act: 'kill' });
    const ended = turn('killed', 1);
    await waitUntil(
      'the runner is killed',
      () => fleet.hits().get('turn.answered')?.length ?? 0,
      (hits) => hits > 0,
    );
    await fleet.start('runner');
    const { usage, spent } = await ended;
    expect(model.calls).toHaveLength(2);
    const cost = ((usage?.inputTokens ?? 0) * 1000 + (usage?.outputTokens ?? 0) * 10_000) / 1_000_000;
    expect(spent).toEqual([{ model: 'openai/m', tier: 'main', ...usage, cost: expect.closeTo(cost, 9) }]);
    const state = await platform.sessions.state(sessionOf('killed'));
    expect(state).toMatchObject({ usage: { inputTokens: usage?.inputTokens }, cost: expect.closeTo(cost, 6) });
    const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    const day = await waitUntil(
      'the day is told',
      async () => (await get('/api/usage')) as { days: [{ tokens: number; cost: number; lines: object[] }] },
      ({ days: [today] }) => today.tokens > 0,
    );
    expect(day.days[0]).toMatchObject({ tokens, cost: expect.closeTo(cost, 6), lines: [{ agent: 'main', model: 'openai/m' }] });
  },
  GUARD,
);

proves(
  'MO-5',
  'whose budget is used up is told so before a model is asked; another session goes on, and /usage says what it cost',
  async () => {
    await turn('thrifty', 1);
    const calls = model.calls.length;
    const refused = await turn('thrifty', 2);
    expect(refused).toMatchObject({ outcome: 'failed', reason: 'budget' });
    expect(refused.spent).toBeUndefined();
    expect(model.calls).toHaveLength(calls);
    expect(await turn('other', 1)).toMatchObject({ outcome: 'answered' });
    await get('/api/sessions/told/messages', { message: 'how much is it?' });
    await waitUntil(
      'the turn is paid',
      async () => (await get('/api/sessions/told')).cost,
      (cost) => Number(cost) > 0,
    );
    const said = await get('/api/sessions/told/messages', { message: '/usage' });
    expect(said.reply).toMatch(
      /^Tokens of this session: \d+ in, \d+ out, cost [\d.]+\nLast turn: \d+ in, \d+ out, cost [\d.]+\nToday/,
    );
    const { session, lastTurn } = said as Record<string, object>;
    expect(session).toEqual(lastTurn);
  },
  GUARD,
);
