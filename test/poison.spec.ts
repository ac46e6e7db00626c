import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const RUNNERS = 2;
const POISON = 2;
const HEALTHY = 30;
const CRASHES_ALLOWED = 4;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
let deaths = 0;
let attendant: NodeJS.Timeout;

beforeAll(async () => {
  redis = await startRedis();
  receiver = await startWebhookReceiver({ dedupe: true });
  judge = await Judge.start({
    modelDelayMs: () => 100,
    override: ({ about, process }) => {
      if (!about.startsWith('poison')) return undefined;
      const victim = fleet.of('runner').find(({ name }) => name === process);
      if (victim) fleet.kill(victim);
      deaths++;
      return { hang: true };
    },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      lanes: { lockMs: 1000, stalledCheckMs: 250, crashesAllowed: CRASHES_ALLOWED, deliveries: { requestTimeoutMs: 400 } },
      channels: { webhook: { accounts: { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: receiver.url } } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await Promise.all([fleet.start('runner', RUNNERS), fleet.start('dispatcher')]);
  attendant = setInterval(() => {
    for (let missing = RUNNERS - fleet.of('runner').length; missing > 0; missing--) fleet.spawn('runner');
  }, 50);
});
afterAll(async () => {
  clearInterval(attendant);
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

const accept = (conversation: string, n: number, text: string) =>
  platform.sessions.accept(envelopeOf(targetOf(conversation), n, text), ACCEPT);
const outcomes = async (conversation: string): Promise<string[]> =>
  (await platform.sessions.transcript(sessionOf(conversation), 9)).map(({ outcome }) => outcome);

proves(
  ['QU-1', 'G3', 'B003'],
  `${POISON} messages that kill every runner that asks the model about them are dead letters; ${HEALTHY} that ran beside them are all answered`,
  async () => {
    const healthy = Array.from({ length: HEALTHY }, (_, n) => `healthy-${n}`);
    const poison = Array.from({ length: POISON }, (_, n) => `poison-${n}`);
    await Promise.all([...poison, ...healthy].map((conversation) => accept(conversation, 1, conversation)));
    await Promise.all(poison.map((conversation) => accept(conversation, 2, 'still there?')));

    await waitUntil(
      'every message has its end',
      () => Promise.all([...poison, ...healthy].map(outcomes)),
      (all) => all.every((ends, index) => ends.length === (index < POISON ? 2 : 1)),
    );
    expect(await Promise.all(poison.map(outcomes))).toEqual(poison.map(() => ['dead', 'answered']));
    expect(await Promise.all(healthy.map(outcomes))).toEqual(healthy.map(() => ['answered']));

    for (const conversation of poison) {
      const heard = await receiver.nextMessages(conversation, 2);
      expect(heard.map(({ deliveryMode }) => deliveryMode)).toEqual(['notice', 'final']);
      const [failed, ...more] = await platform.busy.mailboxQueue(sessionOf(conversation)).getJobs(['failed']);
      expect([failed?.id, failed?.failedReason, more]).toEqual([envelopeOf(targetOf(conversation), 1, '').id, 'crashed', []]);
    }
    // Each was alone in its last death; the ones before may have been those of two at once.
    expect(deaths).toBeGreaterThanOrEqual(POISON + CRASHES_ALLOWED - 1);
  },
  { timeout: 90_000 },
);

proves('G3', 'what somebody wrote into a mailbox by hand is a dead letter, and the mail around it is answered', async () => {
  const session = sessionOf('by-hand');
  const queue = platform.busy.mailboxQueue(session);
  await queue.add('hello', { text: 'no envelope' }, { jobId: 'alone' });
  await platform.work.lpush(platform.keyspace.mailbox(session, 'active'), 'ghost');
  await accept('by-hand', 1, 'first');
  await waitUntil(
    'the first is answered',
    () => outcomes('by-hand'),
    (ends) => ends.includes('answered'),
  );
  await queue.add('1:message:zz', 'no object', { jobId: 'again' });
  await accept('by-hand', 2, 'second');
  await waitUntil(
    'the second is answered',
    () => outcomes('by-hand'),
    (ends) => ends.length === 5,
  );
  expect(await outcomes('by-hand')).toEqual(['dead', 'dead', 'answered', 'dead', 'answered']);
  const failed = await queue.getJobs(['failed']);
  expect(Object.fromEntries(failed.map(({ id, failedReason }) => [id, failedReason]))).toEqual({
    again: 'unreadable',
    alone: 'unreadable',
    ghost: 'unreadable',
  });
  await waitUntil(
    'nothing is busy',
    () => platform.busy.count('turns'),
    (count) => count === 0,
  );
});

proves('G3', 'a dead letter whose runner died between the end of its turn and its burial is buried by the next', async () => {
  const session = sessionOf('late-letter');
  const queue = platform.busy.mailboxQueue(session);
  const { work, keyspace } = platform;
  await queue.add('1:message:zz', 'whatever', { jobId: 'ended-as-dead' });
  await work.hset(keyspace.mailbox(session, 'ended-as-dead'), 'stc', CRASHES_ALLOWED);
  await work.set(keyspace.seen(session), 'ended-as-dead'.slice(1, 9));
  await accept('late-letter', 1, 'hello');
  await waitUntil(
    'the mail behind it is answered',
    () => outcomes('late-letter'),
    (ends) => ends.length === 1,
  );
  const failed = await queue.getJobs(['failed']);
  expect(failed.map(({ id, failedReason }) => [id, failedReason])).toEqual([['ended-as-dead', 'crashed']]);
});
