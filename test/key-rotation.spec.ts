import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const KEYS = ['key-one', 'key-two', 'key-three'];
const GUARD = { timeout: 60_000 };
const SESSIONS = Array.from({ length: 30 }, (_, n) => `chat-${n}`);

let redis: RedisServer;
let judge: ModelServer;
let fleet: Fleet;
let platform: Platform;
/** This one is refused. */
let revoked = '';

beforeAll(async () => {
  redis = await startRedis();
  judge = await startModelServer({
    answer: (_, { authorization }) => (authorization === `Bearer ${revoked}` ? { status: 401 } : { text: 'fine' }),
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.baseUrl,
    toolUrl: '',
    config: {
      agents: { main: { model: 'house/m' } },
      models: { providers: { house: { api: 'openai-chat', baseUrl: judge.baseUrl, apiKeys: KEYS } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await fleet.start('runner', 3);
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), redis?.stop()]);
});

/** A message in each session, all at once. @returns the key each was answered under, in the order of `sessions` */
async function round(nth: number, sessions = SESSIONS): Promise<string[]> {
  await Promise.all(
    sessions.map((name) => platform.sessions.accept(envelopeOf(targetOf(name), nth, `hello ${name} ${nth}`), ACCEPT)),
  );
  await Promise.all(
    sessions.map((name) =>
      waitUntil(
        `${name} is answered ${nth} times`,
        () => platform.sessions.transcript(sessionOf(name), 9),
        (records) => records.length === nth,
      ),
    ),
  );
  return sessions.map((name) => keyOf(`hello ${name} ${nth}`));
}

/** Of the last call that ended with this question. */
function keyOf(question: string): string {
  const call = judge.calls.findLast(({ body }) => body.messages.at(-1)?.content === question);
  return call?.authorization?.replace('Bearer ', '') ?? 'nobody';
}

const shares = (keys: readonly string[]) => KEYS.map((key) => keys.filter((one) => one === key).length);

proves(
  ['MO-3'],
  'sessions of three runners take the keys in turn, and each stays with its own, whichever runner has it',
  async () => {
    const first = await round(1);
    // Each runner takes them in turn for itself, so none is more than one for each runner away from its share.
    for (const share of shares(first)) expect(Math.abs(share - 10)).toBeLessThanOrEqual(3);
    expect(await round(2)).toEqual(first);
    for (const member of fleet.of('runner')) fleet.kill(member);
    await fleet.start('runner', 2);
    expect(await round(3)).toEqual(first);
  },
  GUARD,
);

proves(
  ['MO-3'],
  'sessions whose key is refused move to the others, in turn, and stay there when it is well again',
  async () => {
    const before = await round(4);
    [revoked = ''] = before;
    // One after the other: of those that move at once, several may find the same key unused the longest.
    const moved: string[] = [];
    for (const name of SESSIONS) moved.push(...(await round(5, [name])));
    expect(moved).not.toContain(revoked);
    for (const [n, key] of before.entries()) if (key !== revoked) expect(moved[n]).toBe(key);
    const homeless = moved.filter((_, n) => before[n] === revoked);
    expect(new Set(homeless).size).toBe(2);
    revoked = 'nobody';
    await platform.work.del(platform.keyspace.limits('model-rests'));
    const [other = expect.fail()] = fleet.of('runner');
    fleet.kill(other);
    await fleet.start('runner', 1);
    expect(await round(6)).toEqual(moved);
  },
  GUARD,
);

proves(
  ['MO-3'],
  'a session that comes later takes the key that was not used for the longest, also on a runner that has just started',
  async () => {
    const uses = () => platform.work.zrange(platform.keyspace.limits('model-keys'), '0', '-1');
    const taken: string[] = [];
    let oldestFirst: string[] = [];
    for (const late of ['once', 'again']) {
      for (const member of fleet.of('runner')) fleet.kill(member);
      if (late === 'once') oldestFirst = await uses();
      await fleet.start('runner', 1);
      for (const [n] of KEYS.entries()) taken.push(...(await round(1, [`${late}-${n}`])));
      // Each was used in its turn, so that the order is the same again, once the runner has told it.
      expect(await waitUntil('the uses are told', uses, (now) => now.join() === oldestFirst.join())).toHaveLength(3);
    }
    expect(taken.slice(0, 3).toSorted()).toEqual(KEYS.toSorted());
    expect(taken.slice(3)).toEqual(taken.slice(0, 3));
  },
  GUARD,
);
