import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Kind, type Member } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const TURNS = 100;
const GRACE_MS = 3000;
/** Promised are 2 s, seen 0.1 to 0.3 on a machine that does nothing else. Without the hand-back it would be the lock of 10 s. */
const RESUMED_MS = 6000;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
/** Whose model answers never end. */
let leaving = '';
const asked: { about: string; process: string; at: number }[] = [];

beforeAll(async () => {
  redis = await startRedis();
  receiver = await startWebhookReceiver({ dedupe: true });
  judge = await Judge.start({
    override: ({ about, process, at }) => {
      asked.push({ about, process, at });
      return process === leaving ? { hang: true } : { text: `answer to ${about}` };
    },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    keepLines: 1000,
    config: {
      // As in production: what a drained runner hands back does not wait for a lock to run out.
      lanes: { lockMs: 10_000, stalledCheckMs: 2000, turns: { concurrency: TURNS }, deliveries: { requestTimeoutMs: 4000 } },
      shutdown: { graceMs: GRACE_MS, forceMs: 1000 },
      channels: { webhook: { accounts: { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: receiver.url } } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
});
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

const accept = (conversation: string) => platform.sessions.accept(envelopeOf(targetOf(conversation), 1, conversation), ACCEPT);

async function startOne(kind: Kind): Promise<Member> {
  const [member] = await fleet.start(kind);
  return member ?? expect.fail(`no ${kind}`);
}

proves(
  ['OP-2', 'G4', 'QU-1'],
  `a runner told to leave under ${TURNS} turns longer than its grace: exit 0 in the grace, all of them go on elsewhere within 2 s, none as a crash`,
  async () => {
    await startOne('dispatcher');
    const first = await startOne('runner');
    leaving = first.name;
    const conversations = Array.from({ length: TURNS }, (_, n) => `turn-${n}`);
    await Promise.all(conversations.map(accept));
    await waitUntil(
      'all of them are in the model',
      () => asked.length,
      (count) => count === TURNS,
    );
    const second = await startOne('runner');

    const told = Date.now();
    first.child.kill('SIGTERM');
    const { code } = await first.exited;
    const left = Date.now();
    expect(code).toBe(0);
    expect(left - told).toBeLessThan(GRACE_MS);
    await waitUntil(
      'all of them are in the model again',
      () => asked.length,
      (count) => count >= 2 * TURNS,
    );
    expect(new Set(asked.slice(TURNS).map(({ process }) => process))).toEqual(new Set([second.name]));
    const resumed = second.lines.filter(({ msg }) => msg === 'Turn started');
    expect(Math.max(...resumed.map(({ time }) => Date.parse(String(time)))) - left).toBeLessThan(RESUMED_MS);
    expect(resumed.map(({ attempt }) => attempt)).toEqual(Array.from({ length: TURNS }, () => 1));

    for (const conversation of conversations) {
      const [message] = await receiver.nextMessages(conversation, 1);
      expect(message?.text).toBe(`answer to ${conversation}`);
    }
    expect(asked).toHaveLength(2 * TURNS);
  },
);

proves('OP-2', 'a runner told to leave lets a turn finish that can', async () => {
  leaving = '';
  const [only] = fleet.of('runner');
  await accept('finishes');
  await waitUntil('it is in the model', () => asked.some(({ about }) => about === 'finishes'), Boolean);
  only?.child.kill('SIGTERM');
  expect(await only?.exited).toMatchObject({ code: 0 });
  expect(asked.filter(({ about }) => about === 'finishes')).toHaveLength(1);
  expect(await platform.sessions.transcript(sessionOf('finishes'), 9)).toMatchObject([{ outcome: 'answered' }]);
});

proves('OP-2', 'ingress and dispatcher leave with 0 within the grace, and are replaced', async () => {
  for (const kind of ['ingress', 'dispatcher'] as const) {
    const member = await startOne(kind);
    const told = performance.now();
    member.child.kill('SIGTERM');
    expect(await member.exited).toMatchObject({ code: 0 });
    expect(performance.now() - told).toBeLessThan(GRACE_MS);
  }
});
