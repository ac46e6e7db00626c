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

const TEN_MINUTES_MS = 600_000;
/** The wake-up by the clock of Redis comes once a second. */
const WAKES_MS = 1500;
/** An answer of a loaded test machine. */
const SLACK_MS = 15_000;
const RETRY_AFTER_S = 2;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
/** Runners that asked the model. */
const hosts = new Set<string>();
/** Texts whose first question the model refuses. */
const refused = new Set<string>();

beforeAll(async () => {
  redis = await startRedis();
  receiver = await startWebhookReceiver({ dedupe: true });
  judge = await Judge.start({
    override: ({ about, process }) => {
      hosts.add(process);
      if (!about.startsWith('refused') || refused.has(about)) return { text: `answer to ${about}` };
      refused.add(about);
      return { status: 429, retryAfter: RETRY_AFTER_S };
    },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: { channels: { webhook: { accounts: { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: receiver.url } } } } },
  });
  platform = await openPlatform(fleet.configPath);
  const members = [-TEN_MINUTES_MS, TEN_MINUTES_MS].flatMap((skew) => [skewed('runner', skew), skewed('dispatcher', skew)]);
  await Promise.all(members.map(({ ready }) => ready));
});
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

function skewed(kind: Kind, ms: number): Member {
  return fleet.spawn(kind, { TEST_PROGRAM: kind, TEST_SKEW_MS: String(ms) }, 'skewed');
}

const accept = (conversation: string, quietMs = 0) =>
  platform.sessions.accept(envelopeOf(targetOf(conversation), 1, conversation), { ...ACCEPT, quietMs });

/** Ms from `since` until the answer has arrived. */
async function answered(conversation: string, since: number): Promise<number> {
  const [message] = await receiver.nextMessages(conversation, 1);
  expect(message?.text).toBe(`answer to ${conversation}`);
  return performance.now() - since;
}

const many = (name: string, count = 8): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);

proves(['QU-1', 'OP-2'], 'hosts that are 20 minutes apart answer as quickly as others', async () => {
  const took: number[] = [];
  for (let n = 0; hosts.size < 2 || n < 8; n++) {
    const since = performance.now();
    await accept(`plain-${n}`);
    took.push(await answered(`plain-${n}`, since));
  }
  expect(Math.max(...took)).toBeLessThan(SLACK_MS);
});

proves(['QU-2', 'QU-1'], 'a quiet window is as long as it is, by the clock of Redis', async () => {
  const quietMs = 1000;
  const since = performance.now();
  await Promise.all(many('quiet').map((conversation) => accept(conversation, quietMs)));
  const took = await Promise.all(many('quiet').map((conversation) => answered(conversation, since)));
  expect(Math.min(...took)).toBeGreaterThanOrEqual(quietMs);
  expect(Math.max(...took)).toBeLessThan(quietMs + WAKES_MS + SLACK_MS);
});

proves(['QU-1', 'TU-1'], 'a turn that backs off comes back when it said', async () => {
  const since = performance.now();
  await Promise.all(many('refused').map((conversation) => accept(conversation)));
  const took = await Promise.all(many('refused').map((conversation) => answered(conversation, since)));
  expect(Math.min(...took)).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1000);
  expect(Math.max(...took)).toBeLessThan(RETRY_AFTER_S * 1000 + WAKES_MS + SLACK_MS);
});

proves(['OUT-1', 'QU-1'], 'a delivery that the channel holds back arrives when it said, and is not too old', async () => {
  const since = performance.now();
  receiver.fail(
    ...many('held', 4).map(() => ({ kind: 'answer' as const, status: 429, headers: { 'retry-after': String(RETRY_AFTER_S) } })),
  );
  await Promise.all(many('held', 4).map((conversation) => accept(conversation)));
  const took = await Promise.all(many('held', 4).map((conversation) => answered(conversation, since)));
  expect(Math.min(...took)).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1000);
  expect(Math.max(...took)).toBeLessThan(RETRY_AFTER_S * 1000 + WAKES_MS + SLACK_MS);
});

proves(['QU-1', 'QU-2'], 'a host ten minutes ahead that delays sessions and dies keeps nobody waiting', async () => {
  const quietMs = 2000;
  const since = performance.now();
  const [, ahead] = fleet.of('runner');
  for (const behind of fleet.of('runner').filter((member) => member !== ahead)) fleet.kill(behind);
  await Promise.all(many('orphan').map((conversation) => accept(conversation, quietMs)));
  await waitUntil(
    'it has delayed them',
    () => platform.turns.activationQueues[0]?.getDelayedCount(),
    (count) => count === 8,
  );
  fleet.kill(ahead ?? expect.fail());
  await fleet.start('runner');
  const took = await Promise.all(many('orphan').map((conversation) => answered(conversation, since)));
  expect(Math.max(...took)).toBeLessThan(quietMs + WAKES_MS + 2 * SLACK_MS);
});

proves(['G2', 'TU-1'], 'times that are stored are of Redis, none of a host', async () => {
  const records = await platform.sessions.transcript(sessionOf('plain-0'), 1);
  expect(Math.abs((records[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
});
