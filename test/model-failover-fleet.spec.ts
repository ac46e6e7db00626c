import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startModelServer, type ModelScript, type ModelServer } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { SseClient } from './sse-client.js';

const TOKEN = 'test-admin-token-0000';
/** One key for all runners, unlike the fleet's own. */
const KEY = { OPENAI_API_KEY: 'one-key-for-all' };
const GUARD = { timeout: 60_000 };
const HALF = 'this answer is never going to be whole, because its server dies in the middle of it';

let redis: RedisServer;
let primary: ModelServer;
let fallback: ModelServer;
let fleet: Fleet;
let platform: Platform;
let does: ModelScript = { status: 500 };

beforeAll(async () => {
  redis = await startRedis();
  primary = await startModelServer({ answer: () => does });
  fallback = await startModelServer({ answer: () => ({ text: 'from the fallback' }) });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: primary.baseUrl,
    toolUrl: '',
    config: {
      agents: { main: { model: 'openai/first', fallbacks: ['spare'] } },
      models: {
        aliases: { spare: 'house/second' },
        providers: { house: { api: 'openai-chat', baseUrl: fallback.baseUrl } },
      },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await Promise.all([fleet.start('runner', 1, KEY), fleet.start('ingress', 1, KEY)]);
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([primary?.close(), fallback?.close(), redis?.stop()]);
});

const rests = () => platform.keyspace.limits('model-rests');

/** One turn of a session of its own. @returns what the session keeps of it */
async function turn(conversation: string) {
  await platform.sessions.accept(envelopeOf(targetOf(conversation), 1, `hello ${conversation}`), ACCEPT);
  const [record] = await waitUntil(
    `${conversation} is answered`,
    () => platform.sessions.transcript(sessionOf(conversation), 9),
    ({ length }) => length === 1,
  );
  return record ?? expect.fail();
}

proves(
  ['MO-3', 'B013'],
  'a primary that is down costs one turn little, and the next one nothing, on another runner too; it comes back by one probe',
  async () => {
    const began = performance.now();
    expect((await turn('first')).messages.at(-1)?.text).toBe('from the fallback');
    const lostMs = performance.now() - began;
    expect(primary.calls).toHaveLength(2);
    expect((primary.calls[1]?.at ?? 0) - (primary.calls[0]?.at ?? 0)).toBeLessThan(2000);
    expect(lostMs).toBeLessThan(10_000);

    await fleet.start('runner', 1, KEY);
    fleet.kill(fleet.of('runner')[0] ?? expect.fail());
    expect((await turn('second')).messages.at(-1)?.text).toBe('from the fallback');
    expect(primary.calls).toHaveLength(2);

    does = { text: 'well again' };
    const [[id, entry] = ['', '']] = Object.entries(await platform.work.hgetall(rests()));
    expect(id).toMatch(/^[\w-]{16}:first$/);
    await platform.work.hset(rests(), id, entry.replace(/^\d+/, String(Date.now() - 1000)));
    let turns = 0;
    await waitUntil(
      'a turn asks the primary again',
      async () => (await turn(`after-${++turns}`)).messages.at(-1)?.text,
      (text) => text === 'well again',
    );
    await waitUntil(
      'the rest is over',
      () => platform.work.exists(rests()),
      (count) => count === 0,
    );
    expect(primary.calls).toHaveLength(3);
  },
  GUARD,
);

proves(
  ['MO-3', 'OUT-3'],
  'what a watcher saw of an answer that died is replaced by the whole one of the fallback',
  async () => {
    await platform.work.del(rests());
    does = { text: HALF, chunkDelayMs: 60, cutAfter: 4 };
    const url = fleet.of('ingress')[0]?.url ?? expect.fail();
    const stream = await SseClient.open(`${url}/api/sessions/watched/invoke`, TOKEN, { body: { message: 'hi' } });
    const events = await stream.until('turn.end');
    stream.close();
    const seen: string[] = [];
    let text = '';
    for (const { event, data } of events) {
      if (event !== 'text.delta') continue;
      text = text.slice(0, Number(data.offset)) + String(data.text);
      seen.push(text);
    }
    expect(text).toBe('from the fallback');
    expect(seen.some((one) => one.length > 0 && HALF.startsWith(one))).toBe(true);
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'answered', text: 'from the fallback' });
  },
  GUARD,
);
