import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { TurnRecord } from '#contracts';
import type { Platform } from '#host';
import type { SessionKey } from '#kernel';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Member } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { judgeWorld } from './harness/verdict.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const GUARD = { timeout: 90_000 };
const LOCK_MS = 1500;
const RESUMES_MS = 15_000;
const ANSWERS_MS = 5_000;
/** One message each, from one sender that repeats what was not confirmed. */
const LOAD_EVERY_MS = 150;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
let ops: string[];
const accepted = new Map<SessionKey, string[]>();
let conversations = 0;

beforeAll(async () => {
  redis = await startRedis();
  judge = await Judge.start({ modelDelayMs: () => 50 });
  receiver = await startWebhookReceiver({ dedupe: true });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    keepLines: 2000,
    config: {
      lanes: { lockMs: LOCK_MS },
      channels: { webhook: { accounts: { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: receiver.url } } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  const members = await Promise.all([fleet.start('runner', 2), fleet.start('dispatcher')]);
  ops = members.flat().map(opsUrl);
});
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

function opsUrl({ name, lines }: Member): string {
  const port = lines.find(({ msg }) => msg === 'Health, readiness and metrics')?.['port'];
  return typeof port === 'number' ? `http://127.0.0.1:${port}` : expect.fail(`${name} did not log its ops port`);
}

const readiness = (): Promise<number[]> => Promise.all(ops.map((url) => fetch(`${url}/readyz`).then(({ status }) => status)));
const ends = async (session: SessionKey): Promise<number> =>
  (await platform.sessions.transcript(session, 99)).flatMap(({ inputs }) => inputs).length;

/** Accepted means confirmed; what was not confirmed is sent again, as a platform does. */
async function acceptForSure(conversation: string, n: number): Promise<void> {
  const envelope = envelopeOf(targetOf(conversation), n, `${conversation}/${n} do once,send`);
  for (;;) {
    try {
      await platform.sessions.accept(envelope, ACCEPT);
      accepted.set(envelope.session, [...(accepted.get(envelope.session) ?? []), envelope.id]);
      return;
    } catch {
      await sleep(100);
    }
  }
}

/** A new session every few ms, with a second message in each, until it is told to stop. */
function startLoad(): () => Promise<void> {
  let on = true;
  const sent: Promise<void>[] = [];
  const running = (async () => {
    while (on) {
      const conversation = `c${++conversations}`;
      sent.push(acceptForSure(conversation, 1).then(() => acceptForSure(conversation, 2)));
      await sleep(LOAD_EVERY_MS);
    }
  })();
  return async () => {
    on = false;
    await running;
    await Promise.all(sent);
  };
}

/** Load before, during and after a fault; then everything has one end and no process was replaced. */
async function under(fault: () => Promise<void>): Promise<void> {
  const pids = [...fleet.members].map(({ pid }) => pid);
  const stop = startLoad();
  const busyFrom = judge.questions.length;
  await waitUntil(
    'turns run',
    () => judge.questions.length,
    (count) => count > busyFrom + 10,
  );
  await fault();
  const over = performance.now();
  const first = `probe${++conversations}`;
  await acceptForSure(first, 1);
  await waitUntil(
    'turns run again',
    () => ends(sessionOf(first)).catch(() => 0),
    (count) => count === 1,
    RESUMES_MS,
  );
  expect(performance.now() - over).toBeLessThan(RESUMES_MS);
  await stop();
  await settled();
  expect([...fleet.members].map(({ pid }) => pid)).toEqual(pids);
  await expectPromisesKept();
  await waitUntil('all are ready', readiness, (all) => all.every((status) => status === 200));
}

async function settled(): Promise<void> {
  const sessions = [...accepted.keys()];
  const missing = async (): Promise<SessionKey[]> => {
    const counts = await Promise.all(sessions.map(ends));
    return sessions.filter((session, index) => (counts[index] ?? 0) < (accepted.get(session)?.length ?? 0));
  };
  await waitUntil('every message has its end', missing, ({ length }) => length === 0);
  await waitUntil(
    'nothing is busy',
    () => Promise.all([platform.busy.list('turns', 10), platform.busy.list('deliveries', 10)]),
    (seen) => seen.flat().length === 0,
  );
}

async function expectPromisesKept(): Promise<void> {
  const transcripts = new Map<string, TurnRecord[]>();
  for (const session of accepted.keys()) transcripts.set(session, await platform.sessions.transcript(session, 99));
  // A process that lost its Redis may have asked or run once more, like one that was stopped.
  const stops = [...fleet.members].map(({ name }) => ({ name, from: 0, to: Infinity }));
  const { verdict } = judgeWorld({
    judge,
    transcripts,
    accepted,
    dedupe: receiver.attempts,
    plain: [],
    stops,
    deaths: fleet.killedAt,
    lockMs: LOCK_MS,
  });
  expect(verdict).toEqual({});
}

/** Every key that marks an owner: gone, or ends by itself (B072). */
async function ownerKeys(): Promise<string[]> {
  const keys = (await redis.cli('--scan')).split('\n').filter((key) => /:(de|dn):|:lock$/.test(key));
  const ttls = await Promise.all(keys.map((key) => platform.work.pttl(key)));
  return keys.filter((_, index) => ttls[index] === -1);
}

/** With everysec Redis may answer up to 2 s ahead of its file while the disk is slow; what is tested here is not the disk. */
async function killRedis(): Promise<void> {
  await redis.cli('CONFIG', 'SET', 'appendfsync', 'always');
  await redis.kill();
}

const clients = async (): Promise<number> => (await redis.cli('CLIENT', 'LIST')).split('\n').length;

describe('Redis', () => {
  proves(
    ['B046', 'G2', 'G3'],
    'paused for 5 s: turns go on after it, nothing lost or doubled',
    async () => {
      await under(async () => {
        await redis.cli('CLIENT', 'PAUSE', '5000');
        await sleep(5000);
      });
    },
    GUARD,
  );

  proves(
    ['B046', 'G3'],
    'every connection is reset: as many come back as there were, and turns go on',
    async () => {
      const before = await clients();
      await under(async () => {
        await redis.cli('CLIENT', 'KILL', 'TYPE', 'normal');
        await redis.cli('CLIENT', 'KILL', 'TYPE', 'pubsub');
      });
      expect(await clients()).toBe(before);
    },
    GUARD,
  );

  proves(
    ['B046', 'G1', 'G3'],
    'a master that refuses writes for seconds makes every process unready, and nothing is accepted meanwhile',
    async () => {
      await under(async () => {
        await redis.cli('REPLICAOF', '127.0.0.1', '1');
        await waitUntil('nobody is ready', readiness, (all) => all.every((status) => status === 503), 5000);
        await expect(platform.sessions.accept(envelopeOf(targetOf('refused'), 1, 'x'), ACCEPT)).rejects.toThrow();
        await sleep(2000);
        await redis.cli('REPLICAOF', 'NO', 'ONE');
      });
    },
    GUARD,
  );

  proves(
    ['B046', 'G1', 'G4'],
    'stopped for 10 s while the world goes on: locks run out, turns are resumed, nothing is lost or doubled',
    async () => {
      await under(async () => {
        process.kill(redis.pid, 'SIGSTOP');
        await sleep(10_000);
        process.kill(redis.pid, 'SIGCONT');
      });
    },
    GUARD,
  );

  proves(
    ['B046', 'G1', 'G3', 'B072'],
    'killed and restarted from its append-only file: turns go on, and no key of a dead owner stays',
    async () => {
      await under(async () => {
        await killRedis();
        await sleep(2000);
        await redis.restart();
      });
      expect(await ownerKeys()).toEqual([]);
    },
    GUARD,
  );

  proves(
    'B072',
    'a session whose turn was cut by an outage and the death of its runner answers a new message within 5 s, and keys of its owner are gone',
    async () => {
      const conversation = `cut${++conversations}`;
      const [victim] = fleet.of('runner');
      await acceptForSure(conversation, 1);
      await waitUntil('it runs', () => judge.questions.some(({ about }) => about.startsWith(conversation)), Boolean);
      await killRedis();
      fleet.kill(victim ?? expect.fail());
      await victim?.exited;
      await redis.restart();
      await acceptForSure(conversation, 2);
      await waitUntil(
        'both are answered',
        () => ends(sessionOf(conversation)).catch(() => 0),
        (count) => count === 2,
        ANSWERS_MS + 2 * LOCK_MS,
      );
      await settled();
      expect(await ownerKeys()).toEqual([]);
      await expectPromisesKept();
    },
    GUARD,
  );
});
