import { afterAll, beforeAll, expect } from 'vitest';
import { ChatWorld, generic, sends, shown } from './chat-world.js';
import type { Member } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';

const GRACE_MS = 3000;

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.start({
    config: {
      // A lock as in production: what is handed back does not wait for it to run out.
      lanes: { lockMs: 10_000, stalledCheckMs: 2000, deliveries: { requestTimeoutMs: 4000 } },
      shutdown: { graceMs: GRACE_MS, forceMs: 1000 },
    },
  });
}, 90_000);
afterAll(() => world?.close());

function theRunner(): Member {
  const [runner, ...others] = world.fleet.of('runner');
  if (!runner || others.length > 0) throw new Error('one runner was expected');
  return runner;
}

proves(
  ['B024', 'OP-2'],
  'a short turn: not ready from the signal on, nothing new is taken, the turn finishes, exit 0',
  async () => {
    const runner = theRunner();
    const ops = new OpsOf(runner);
    const said = await world.say(generic('plain', 'short'), 'short', [
      sends('one of two'),
      { text: 'two of two', delayMs: 1000 },
    ]);
    const last = await world.askedTimes('short', 2);
    let isOver = false;
    void last.ended.then(() => (isOver = true));
    expect(await ops.readiness()).toEqual({ status: 200, draining: false });
    runner.child.kill('SIGTERM');
    await waitUntil(
      'it is not ready',
      () => ops.readiness(),
      ({ status }) => status === 503,
    );
    expect(isOver).toBe(false);
    const later = await world.say(generic('plain', 'after'), 'after');
    expect(await runner.exited).toEqual({ code: 0, signal: null });
    expect(world.asked('after')).toEqual([]);
    expect(await world.ended(said)).toMatchObject({ outcome: 'answered' });
    expect(world.asked('short')).toHaveLength(2);

    await world.fleet.start('runner');
    expect(await world.settled(later)).toMatchObject({ outcome: 'answered' });
    await world.settled(said);
    expect(shown(world.plain, 'short')).toEqual(['one of two', 'two of two']);
  },
);

proves(
  ['B024', 'OP-2', 'G4'],
  'a turn longer than the grace is handed back within it, through two rollouts, and repeats nothing it sent',
  async () => {
    let interrupted = 0;
    const said = await world.say(generic('plain', 'long'), 'long', [
      sends('sent once'),
      () => (interrupted++ < 2 ? { hang: true } : { text: 'at last' }),
    ]);
    for (const rollout of [1, 2]) {
      // The plan and its send once; then the answer that this rollout cuts off.
      await world.askedTimes('long', 1 + rollout);
      const leaving = theRunner();
      await world.fleet.start('runner');
      const told = performance.now();
      leaving.child.kill('SIGTERM');
      expect(await leaving.exited).toEqual({ code: 0, signal: null });
      expect(performance.now() - told).toBeLessThan(GRACE_MS);
    }
    expect(await world.settled(said)).toMatchObject({ outcome: 'answered' });
    expect(world.asked('long')).toHaveLength(4);
    expect(shown(world.plain, 'long')).toEqual(['sent once', 'at last']);
  },
);
