import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { ControlPublisher, type Platform } from '#host';
import type { AgentId, SessionKey } from '#kernel';
import { createLogger } from '#telemetry';
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

proves(
  ['RT-1', 'OP-6'],
  'mail of an agent that a runner does not know is answered by no other: it waits for a configuration that has the agent',
  async () => {
    const target = { channel: 'generic', account: 'gone', conversation: 'c2' };
    const session = sessionOf('c2', 'generic', 'gone').replace('.main.', '.later.') as SessionKey;
    const envelope = { ...envelopeOf(target, 2, 'who answers?'), agent: 'later' as AgentId, session };
    await platform.sessions.accept(envelope, ACCEPT);
    const [runner] = fleet.of('runner');
    const tries = () => runner?.lines.filter(({ msg }) => msg === 'Turn goes on later').length ?? 0;
    await waitUntil('it was tried', tries, (count) => count > 0);
    expect(await platform.sessions.transcript(session, 9)).toEqual([]);
    const config = JSON.parse(readFileSync(fleet.configPath, 'utf8')) as { agents: object };
    const agents = { ...config.agents, later: { model: 'openai/judge' } };
    writeFileSync(fleet.configPath, JSON.stringify({ ...config, agents, defaultAgent: 'main' }));
    const control = new ControlPublisher(redis.url, createLogger({ level: 'silent', name: 'test' }).logger);
    control.configChanged();
    const transcript = () => platform.sessions.transcript(session, 9);
    const records = await waitUntil('the turn has ended', transcript, ({ length }) => length === 1);
    await control.close();
    expect(records).toMatchObject([{ outcome: 'answered' }]);
  },
);
