import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Member } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const LOCK_MS = 500;
const BLOCK_MS = 5 * LOCK_MS;
const LONG_AWAIT_MS = 20 * LOCK_MS;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedis();
  receiver = await startWebhookReceiver({ dedupe: false });
  judge = await Judge.start({
    override: ({ about, step }) => {
      if (about === 'block' && step === 0) return { toolCalls: [{ id: 'call-block', name: 'block_tool', arguments: {} }] };
      return about === 'await' ? { text: 'at last', delayMs: LONG_AWAIT_MS } : undefined;
    },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      lanes: { lockMs: LOCK_MS, stalledCheckMs: 200, deliveries: { requestTimeoutMs: 200 } },
      channels: {
        webhook: { accounts: { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: receiver.url, dedupe: false } } },
      },
    },
  });
  platform = await openPlatform(fleet.configPath);
  const runners = [1, 2].map(() => fleet.spawn('runner', { TEST_BLOCK_MS: String(BLOCK_MS) }, 'blocking-runner'));
  await Promise.all([...runners.map(({ ready }) => ready), fleet.start('dispatcher')]);
});
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

const accept = (conversation: string, text: string) =>
  platform.sessions.accept(envelopeOf(targetOf(conversation), 1, text), ACCEPT);
/** Log lines of all runners about one conversation. */
const saying = (words: string, conversation: string): { runner: Member; line: Record<string, unknown> }[] =>
  fleet
    .of('runner')
    .flatMap((runner) =>
      runner.lines
        .filter(({ msg, session }) => msg === words && session === sessionOf(conversation))
        .map((line) => ({ runner, line })),
    );

proves(
  ['B009', 'G2'],
  'a tool that blocks the event loop past the lock: another runner answers once, the late finisher writes nothing',
  async () => {
    await accept('blocked', 'block');
    const [reply] = await receiver.nextMessages('blocked', 1);
    const [ended, ...endedAgain] = await waitUntil(
      'a runner has ended it',
      () => saying('Turn ended', 'blocked'),
      ({ length }) => length > 0,
    );
    expect(saying('Turn started', 'blocked')).toHaveLength(2);
    // Only the one that was blocked is left: it answers once it is free, behind what it had to finish.
    fleet.kill(ended?.runner ?? expect.fail());
    await accept('after', 'after');
    await receiver.nextMessages('after', 1);
    expect([...endedAgain, ...saying('Turn ended', 'blocked')]).toEqual([]);
    expect(
      receiver.attempts.filter(({ message }) => message.conversation === 'blocked').map(({ message }) => message.text),
    ).toEqual([reply?.text]);
    const [record, ...more] = await platform.sessions.transcript(sessionOf('blocked'), 9);
    expect([record?.outcome, more]).toEqual(['answered', []]);
    expect(record?.messages.find(({ role }) => role === 'tool')?.text).toContain('outcome');
  },
);

proves('B009', 'a wait of twenty locks that blocks nothing keeps its lock: one attempt, one reply', async () => {
  await accept('patient', 'await');
  expect((await receiver.nextMessages('patient', 1)).map(({ text }) => text)).toEqual(['at last']);
  expect(saying('Turn started', 'patient')).toHaveLength(1);
});
