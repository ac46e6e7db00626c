import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, generic } from './chat-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.start({ runners: 3 });
}, 90_000);
afterAll(() => world?.close());

describe('one catalog for a fleet', () => {
  proves(['G8', 'TO-5', 'T12'], 'a change reaches the next turn of every runner by the call that takes the turn', async () => {
    const before = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => world.say(generic('dedupe', `c${n}`), `before ${n}`)));
    await Promise.all(before.map((said) => world.settled(said)));
    const config = JSON.parse(readFileSync(world.fleet.configPath, 'utf8')) as { tools?: object };
    writeFileSync(
      world.fleet.configPath,
      JSON.stringify({ ...config, tools: { ...config.tools, message: { defaultDeliveryMode: 'batched' } } }),
    );
    // No hint: what is durable has to be enough.
    await world.platform.catalog.bump();
    const after = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => world.say(generic('dedupe', `c${n}`), `after ${n}`)));
    await Promise.all(after.map((said) => world.settled(said)));
    for (const n of [1, 2, 3, 4, 5, 6]) {
      expect(describesImmediate(`before ${n}`)).toBe(true);
      expect(describesImmediate(`after ${n}`)).toBe(false);
    }
    const builds = () =>
      world.fleet.of('runner').map(({ lines }) => lines.filter(({ msg }) => msg === 'Tool catalog built').length);
    await waitUntil('the log lines are read', builds, (counts) => Math.max(...counts) === 2);
    expect(Math.max(...builds())).toBe(2);
  });
});

function describesImmediate(text: string): boolean {
  const [call] = world.asked(text);
  return JSON.stringify(call?.body).includes('delivered at once unless you pass immediate: false');
}
