import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { TurnRecord } from '#contracts';
import type { Platform } from '#host';
import type { SessionKey } from '#kernel';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Kind } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { judgeWorld } from './harness/verdict.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const LOCK_MS = 1000;
/** Longer than the lock and the check that notices it. */
const STOP_MS = 2500;
const HITS = 3;
const SIZES: Record<Kind, number> = { ingress: 0, runner: 3, dispatcher: 2 };
const QUIET_MS = 30;
const GUARD = { timeout: 120_000 };

const RUNNER_POINTS = [
  'runner.admitted',
  'runner.taken',
  'turn.model',
  'turn.stream',
  'turn.answered',
  'turn.started',
  'turn.executed',
  'turn.finished',
  'runner.send-journalled',
  'runner.send-relayed',
  'runner.before-commit',
  'runner.after-commit',
  'runner.after-relay',
  'runner.acked',
];
const DISPATCHER_POINTS = ['dispatcher.before-send', 'dispatcher.sent', 'dispatcher.acked'];

let redis: RedisServer;
let judge: Judge;
let dedupe: WebhookReceiver;
let plain: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
const accepted = new Map<SessionKey, string[]>();
let conversations = 0;

beforeAll(async () => {
  redis = await startRedis();
  judge = await Judge.start({ modelDelayMs: () => 5 });
  dedupe = await startWebhookReceiver({ dedupe: true });
  plain = await startWebhookReceiver({ dedupe: false });
  const account = (outboundUrl: string, dedupes: boolean) => ({ secret: 'a-test-webhook-secret', outboundUrl, dedupe: dedupes });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      lanes: {
        lockMs: LOCK_MS,
        stalledCheckMs: 250,
        crashesAllowed: 12,
        deliveries: { requestTimeoutMs: 400 },
      },
      channels: { webhook: { accounts: { dedupe: account(dedupe.url, true), plain: account(plain.url, false) } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await Promise.all([fleet.start('runner', SIZES.runner), fleet.start('dispatcher', SIZES.dispatcher)]);
}, 120_000);

afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), dedupe?.close(), plain?.close()]);
  await redis?.stop();
});

/** One session with one message, and sessions with several in flight at once (gathered by a quiet window). */
async function sendMix(): Promise<SessionKey[]> {
  const sessions: SessionKey[] = [];
  for (const [account, messages] of [
    ['dedupe', 1],
    ['plain', 1],
    ['dedupe', 3],
    ['plain', 2],
    ['dedupe', 1],
    ['plain', 3],
  ] as const) {
    const conversation = `c${++conversations}`;
    const session = sessionOf(conversation, 'generic', account);
    sessions.push(session);
    for (let n = 1; n <= messages; n++) {
      const envelope = envelopeOf({ channel: 'generic', account, conversation }, n, `${conversation}/${n} do once,send,pure`);
      await platform.sessions.accept(envelope, { ...ACCEPT, quietMs: messages > 1 ? QUIET_MS : 0 });
      accepted.set(session, [...(accepted.get(session) ?? []), envelope.id]);
    }
  }
  return sessions;
}

const ends = async (session: SessionKey): Promise<number> =>
  (await platform.sessions.transcript(session, 100)).flatMap(({ inputs }) => inputs).length;

async function allEnded(sessions: readonly SessionKey[]): Promise<void> {
  const wanted = sessions.map((session) => accepted.get(session)?.length ?? 0);
  await waitUntil(
    'every message has its end',
    () => Promise.all(sessions.map(ends)),
    (seen) => seen.every((count, index) => count >= (wanted[index] ?? 0)),
  );
  await waitUntil(
    'nothing is busy',
    () => Promise.all([platform.busy.list('turns', 10), platform.busy.list('deliveries', 10)]),
    (seen) => seen.flat().length === 0,
  );
}

/** Nothing waits and nothing runs. */
const idle = async (): Promise<boolean> => (await platform.busy.count('turns')) + (await platform.busy.count('deliveries')) === 0;

const hitsOf = (point: string): number => fleet.hits().get(point)?.length ?? 0;

/** Everything ever accepted, judged by the books of model, tools and channels. */
async function expectPromisesKept(): Promise<void> {
  const transcripts = new Map<string, TurnRecord[]>();
  for (const session of accepted.keys()) transcripts.set(session, await platform.sessions.transcript(session, 1000));
  const { stops, killedAt } = fleet;
  const { verdict } = judgeWorld({
    judge,
    transcripts,
    accepted,
    dedupe: dedupe.attempts,
    plain: plain.attempts,
    stops,
    deaths: killedAt,
    lockMs: LOCK_MS,
  });
  expect(verdict).toEqual({});
}

/** Arms every process of a kind, sends until the point was hit often enough, and waits for the last answer. */
async function strike(kind: Kind, point: string, act: 'kill' | 'stop'): Promise<void> {
  const before = hitsOf(point);
  const sessions: SessionKey[] = [];
  const attendant = setInterval(() => (act === 'kill' ? replaceDead(kind) : resumeStopped(kind)), 50);
  try {
    while (hitsOf(point) - before < HITS) {
      // Whoever has just died is replaced first: mail that nobody armed works on hits nothing.
      await waitUntil(
        'all are there',
        () => fleet.of(kind).length,
        (count) => count === SIZES[kind],
      );
      const already = hitsOf(point);
      await Promise.all(fleet.of(kind).map((member) => fleet.arm(member, { at: point, act })));
      sessions.push(...(await sendMix()));
      await waitUntil(`${point} is hit, or all is answered`, async () => hitsOf(point) > already || (await idle()), Boolean);
    }
    await Promise.all(fleet.of(kind).map((member) => fleet.arm(member, { at: '', act: 'none' })));
    await allEnded(sessions);
    await waitUntil(
      'all go on',
      () => fleet.of(kind).length === SIZES[kind] && fleet.stops.every(({ to }) => to < Infinity),
      Boolean,
    );
  } finally {
    clearInterval(attendant);
  }
}

function replaceDead(kind: Kind): void {
  for (let missing = SIZES[kind] - fleet.of(kind).length; missing > 0; missing--) fleet.spawn(kind);
}

/** They go on after their locks are lost. */
function resumeStopped(kind: Kind): void {
  const hits = [...fleet.hits().values()].flat();
  for (const member of fleet.of(kind)) {
    const stopped =
      hits.filter((pid) => pid === member.pid).length - fleet.stops.filter(({ name }) => name === member.name).length;
    if (stopped > 0) fleet.resumeIn(member, STOP_MS);
  }
}

describe('failure matrix', () => {
  for (const point of RUNNER_POINTS) {
    proves(
      ['TU-1', 'G2', 'G3', 'G4', 'G5', 'B003'],
      `a runner killed at ${point}: resumed, finished work not repeated, one reply, in order`,
      async () => {
        await strike('runner', point, 'kill');
        expect(hitsOf(point)).toBeGreaterThanOrEqual(HITS);
        await expectPromisesKept();
      },
      GUARD,
    );
  }
  for (const point of DISPATCHER_POINTS) {
    proves(
      ['OUT-1', 'G5'],
      `a dispatcher killed at ${point}: sent, once where the channel dedupes, else at most one flagged double`,
      async () => {
        await strike('dispatcher', point, 'kill');
        expect(hitsOf(point)).toBeGreaterThanOrEqual(HITS);
        await expectPromisesKept();
      },
      GUARD,
    );
  }
  for (const point of RUNNER_POINTS) {
    proves(
      ['G2', 'B009'],
      `a runner stopped longer than its lock at ${point}, then continued: its writes are refused`,
      async () => {
        const before = hitsOf(point);
        await strike('runner', point, 'stop');
        expect(hitsOf(point) - before).toBeGreaterThanOrEqual(HITS);
        await expectPromisesKept();
      },
      GUARD,
    );
  }
});
