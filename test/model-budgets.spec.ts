import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import type { AgentId, SessionKey, TenantId } from '#kernel';
import { sessionKey } from '#routing';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

/** Each agent has a model of its own, so a budget of its own. */
type Agent = 'paused' | 'tight' | 'scarce' | 'free';

const RETRY_AFTER_S = 2;
/** Half of it is there at once. */
const TIGHT_RPM = 40;
const SHARED_KEY = { OPENAI_API_KEY: 'one-key-for-all' };
const GUARD = { timeout: 60_000 };

let redis: RedisServer;
let judge: Judge;
let fleet: Fleet;
let platform: Platform;
const asked: { about: string; at: number }[] = [];

beforeAll(async () => {
  redis = await startRedis();
  let refusals = 1;
  judge = await Judge.start({
    override: ({ about, at }) => {
      asked.push({ about, at });
      if (about.startsWith('paused') && refusals-- > 0) return { status: 429, retryAfter: RETRY_AFTER_S };
      return { text: `answer to ${about}` };
    },
  });
  const agentOf = (model: Agent) => ({ model: `openai/${model}` });
  const limits = {
    requestsPerMinute: 600,
    models: { tight: { requestsPerMinute: TIGHT_RPM }, scarce: { requestsPerMinute: 2 } },
  };
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      defaultAgent: 'main',
      agents: { main: agentOf('free'), paused: agentOf('paused'), tight: agentOf('tight'), scarce: agentOf('scarce') },
      models: { providers: { openai: { limits } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await fleet.start('runner', 2, SHARED_KEY);
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await judge?.close();
  await redis?.stop();
});

const sessionIn = (agent: Agent, conversation: string): SessionKey =>
  sessionKey({
    tenant: 'default' as TenantId,
    agent: (agent === 'free' ? 'main' : agent) as AgentId,
    channel: 'webchat',
    account: 'default',
    chatType: 'direct',
    conversation,
  });

async function accept(agent: Agent, conversation: string, n = 1): Promise<void> {
  const target = { ...targetOf(conversation), channel: 'webchat', account: 'default' };
  const envelope = envelopeOf(target, n, `${agent} ${conversation} ${n}`);
  const mine = { agent: (agent === 'free' ? 'main' : agent) as AgentId, session: sessionIn(agent, conversation) };
  await platform.sessions.accept({ ...envelope, ...mine }, ACCEPT);
}

const transcriptOf = (agent: Agent, conversation: string) => platform.sessions.transcript(sessionIn(agent, conversation), 99);
const ended = (agent: Agent, conversation: string, turns = 1) =>
  waitUntil(
    `${turns} turns of ${conversation} have ended`,
    () => transcriptOf(agent, conversation),
    ({ length }) => length === turns,
  );
const askedOf = (agent: Agent) => asked.filter(({ about }) => about.startsWith(agent));

proves(
  ['QU-5', 'G6'],
  'a 429 pauses the key for both runners until its retry-after, and every turn still ends answered',
  async () => {
    await accept('paused', 'refused');
    await waitUntil(
      'the pause is known',
      async () => {
        const key = await redis.cli('keys', '{limits}:model:*:paused');
        return key === '' ? 0 : Number(await platform.work.hget(key, 'pause'));
      },
      (until) => until > 0,
    );
    const later = Array.from({ length: 8 }, (_, n) => `later-${n}`);
    await Promise.all(later.map((conversation) => accept('paused', conversation)));
    const records = await Promise.all(['refused', ...later].map((conversation) => ended('paused', conversation)));
    const [first, ...rest] = askedOf('paused').map(({ at }) => at);
    // The server writes down a question a moment before the runner reads the refusal.
    for (const at of rest) expect(at - (first ?? 0)).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1000 - 1);
    expect(rest).toHaveLength(9);
    expect(records.flat().map(({ outcome }) => outcome)).toEqual(Array.from({ length: 9 }, () => 'answered'));
  },
  GUARD,
);

proves(
  ['QU-5', 'G2', 'G3', 'G4'],
  'turns that wait for room outlive a killed runner: none is lost, doubled or out of order',
  async () => {
    const conversations = Array.from({ length: 7 }, (_, n) => `tight-${n}`);
    for (let n = 1; n <= 3; n++) await Promise.all(conversations.map((conversation) => accept('tight', conversation, n)));
    await waitUntil(
      'what is there at once is used up',
      () => askedOf('tight').length,
      (count) => count >= TIGHT_RPM / 2 - 1,
    );
    fleet.kill(fleet.of('runner')[0] ?? expect.fail());
    for (const conversation of conversations) {
      const records = await ended('tight', conversation, 3);
      expect(records.map(({ outcome, messages }) => [outcome, messages[0]?.text])).toEqual(
        [1, 2, 3].map((n) => ['answered', `tight ${conversation} ${n}`]),
      );
      expect(records.map(({ inputs }) => inputs.map(({ seq }) => seq))).toEqual([[1], [2], [3]]);
    }
    const [first, last] = [askedOf('tight')[0]?.at ?? 0, askedOf('tight').at(-1)?.at ?? 0];
    expect(last - first).toBeGreaterThan(1000);
  },
  GUARD,
);

proves(
  ['QU-5', 'QU-1'],
  'a turn that waits for room has no slot: another one runs where the fleet may run one',
  async () => {
    await platform.limits.change((limits) => ({ ...limits, fleet: { concurrency: 1, turnsPerSecond: 0 } }));
    await accept('scarce', 'has-room');
    await ended('scarce', 'has-room');
    await accept('scarce', 'waits');
    const why = () => platform.work.hget(platform.keyspace.head(sessionIn('scarce', 'waits')), 'nbw');
    await waitUntil('the turn is put aside', why, (value) => value === 'limit');
    await accept('free', 'runs');
    const [record] = await ended('free', 'runs');
    expect(record?.outcome).toBe('answered');
    expect(await transcriptOf('scarce', 'waits')).toEqual([]);
    const journal = await platform.work.lrange(platform.keyspace.journal(sessionIn('scarce', 'waits')), 0, -1);
    expect(journal.map((entry) => (JSON.parse(entry) as { k: string }).k)).toEqual(['open']);
  },
  GUARD,
);
