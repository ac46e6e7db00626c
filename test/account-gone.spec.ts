import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let judge: Judge;
let fleet: Fleet;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedis();
  judge = await Judge.start();
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: judge.modelUrl, toolUrl: judge.toolUrl });
  await Promise.all([fleet.start('runner'), fleet.start('dispatcher')]);
  platform = await openPlatform(fleet.configPath);
}, 60_000);

afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await judge?.close();
  await redis?.stop();
});

proves(
  ['G3', 'OUT-1'],
  'mail of an account that is configured no more has its end, and its answer is a dead letter that says why',
  async () => {
    const target = { channel: 'generic', account: 'gone', conversation: 'c1' };
    await platform.sessions.accept(envelopeOf(target, 1, 'is anybody there? do send'), ACCEPT);
    const transcript = () => platform.sessions.transcript(sessionOf('c1', 'generic', 'gone'), 9);
    const records = await waitUntil('the turn has ended', transcript, ({ length }) => length === 1);
    expect(records).toMatchObject([{ outcome: 'answered' }]);
    const dead = () => platform.deadLetters.board[0]?.getWaiting() ?? [];
    const letters = await waitUntil('its sends are given up', dead, ({ length }) => length === 2);
    expect(letters.map((job) => (job.data as { reason: string }).reason)).toEqual([
      'unknown_channel_account',
      'unknown_channel_account',
    ]);
  },
);
