import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const SESSIONS = 2000;
const AT_ONCE = 100;
/** Four of the platform, two blocking ones of its workers, two of the control plane. */
const PER_PROCESS = 9;

let redis: RedisServer;
let judge: Judge;
let fleet: Fleet;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedis({ appendonly: false });
  judge = await Judge.start({ override: ({ about }) => ({ text: about }) });
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: judge.modelUrl, toolUrl: judge.toolUrl });
  platform = await openPlatform(fleet.configPath);
});
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await judge?.close();
  await redis?.stop();
});

/** Connections to Redis, this test's redis-cli aside. */
async function connections(): Promise<number> {
  return (await redis.cli('CLIENT', 'LIST')).split('\n').filter((line) => !line.includes('cmd=client|list')).length;
}

const ingressTarget = (n: number) => ({ ...targetOf(`s${n}`), channel: 'webchat', account: 'default' });

proves(
  'B087',
  `the connections of each process stay the same, few number over ${SESSIONS} sessions`,
  async () => {
    const idle = await connections();
    await Promise.all([fleet.start('runner', 2), fleet.start('dispatcher'), fleet.start('ingress')]);
    const before = await connections();
    const processes = fleet.members.size;
    expect((before - idle) / processes).toBeLessThanOrEqual(PER_PROCESS);

    const counts = new Set<number>();
    for (let from = 0; from < SESSIONS; from += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, n) => envelopeOf(ingressTarget(from + n), 1, 'hello'));
      await Promise.all(batch.map((envelope) => platform.sessions.accept(envelope, ACCEPT)));
      counts.add(await connections());
    }
    await waitUntil(
      'all sessions are idle again',
      async () => {
        counts.add(await connections());
        return Promise.all([platform.busy.count('turns'), platform.busy.count('deliveries')]);
      },
      (busy) => busy.every((count) => count === 0),
      60_000,
    );
    expect([...counts]).toEqual([before]);
  },
  { timeout: 90_000 },
);
