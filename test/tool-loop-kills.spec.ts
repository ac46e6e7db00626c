import { afterAll, beforeAll, expect } from 'vitest';
import type { TurnRecord } from '#contracts';
import { ChatWorld, generic, shown, type Said } from './chat-world.js';
import { proves } from './proves.js';

const ROUNDS = 3;
const VALUES = ['a', 'b', 'c'];

let world: ChatWorld;
let chats = 0;

beforeAll(async () => {
  world = await ChatWorld.start();
}, 90_000);
afterAll(() => world?.close());

/** Three calls side by side in one answer; the runner dies at `point`, and another one goes on. */
async function killedAt(point: string): Promise<Said> {
  const [runner] = world.fleet.of('runner');
  if (!runner) throw new Error('no runner');
  await world.fleet.arm(runner, { at: point, act: 'kill' });
  const chat = `kill-${(chats += 1)}`;
  const calls = VALUES.map((value) => ({ id: `${chat}-${value}`, name: 'pure_tool', arguments: { value } }));
  const said = await world.say(generic('dedupe', chat), `look, ${chat}`, [{ toolCalls: calls }, { text: `seen ${chat}` }]);
  await runner.exited;
  await world.fleet.start('runner');
  return said;
}

function resultsOf({ messages }: TurnRecord): Map<string, string> {
  return new Map(messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.text] as const] : [])));
}

for (const point of ['turn.started', 'turn.executed', 'turn.finished']) {
  proves(
    ['TU-1', 'TU-2', 'G4'],
    `calls side by side, killed at ${point}: a journalled one never runs again, results keep their order, one answer`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const said = await killedAt(point);
        const record = await world.settled(said);
        const chat = `kill-${chats}`;
        const results = resultsOf(record);
        expect([...results.keys()]).toEqual(VALUES.map((value) => `${chat}-${value}`));
        for (const [callId, nonce] of results) {
          const runs = world.judge.executions.filter((run) => run.callId === callId);
          expect(runs.length).toBeLessThanOrEqual(2);
          expect(runs.at(-1)?.nonce).toBe(nonce);
        }
        expect([shown(world.dedupe, chat), world.asked(`look, ${chat}`).length]).toEqual([[`seen ${chat}`], 2]);
      }
      expect(world.fleet.hits().get(point)).toHaveLength(ROUNDS);
    },
    { timeout: 60_000 },
  );
}
