import { describe, expect } from 'vitest';
import { proves } from '../../test/proves.js';
import type { SharedCall, SharedResults } from './index.js';
import { TurnWorld, type Reply } from './turn-world.fixture.js';

type Calls = NonNullable<Extract<Reply, { calls?: unknown }>['calls']>;

/** What turns share, in memory; `asked` counts reads and writes. */
class Shelf implements SharedResults {
  readonly kept = new Map<string, { text: string; ttlMs: number }>();
  asked = 0;

  async read(call: SharedCall): Promise<string | undefined> {
    this.asked++;
    return this.kept.get(JSON.stringify(call))?.text;
  }

  async write(call: SharedCall, text: string, ttlMs: number): Promise<void> {
    this.asked++;
    this.kept.set(JSON.stringify(call), { text, ttlMs });
  }
}

/** One turn that makes these calls, a step each, and how often its tool ran. */
async function turn(
  shelf: SharedResults,
  calls: Calls,
  options: { tenant?: string; description?: string; effect?: 'pure' | 'once' } = {},
) {
  const world = new TurnWorld((step) => (calls[step - 1] ? { calls: [calls[step - 1] as Calls[0]] } : { text: 'done' }));
  world
    .addTool('look', options.effect ?? 'pure', undefined, { cacheTtlMs: 5000 })
    .addTool('plain', 'pure')
    .addTool('act', 'once');
  const tools = world.tools.map((tool) => ({ ...tool, description: options.description ?? 'first' }));
  await world.run({ tools, tenant: options.tenant ?? 'acme' }, { sharedResults: shelf });
  return world;
}

describe('results that turns share', () => {
  const look = { name: 'look', arguments: '{"a":1,"b":2}' };

  proves(
    'TU-9',
    'a later turn takes them for equal arguments; the call is journalled, answered and counted like any other',
    async () => {
      const shelf = new Shelf();
      expect((await turn(shelf, [look])).ran).toEqual(['1.0']);
      const world = await turn(shelf, [{ name: 'look', arguments: ' {"b":2, "a":1}' }]);
      expect(world.ran).toEqual([]);
      expect(world.journal.map(({ k }) => k)).toEqual(['answer', 'finished', 'answer']);
      expect(world.progress.messages.filter(({ role }) => role === 'tool')).toMatchObject([
        { text: 'look done', isError: false },
      ]);
      expect([...shelf.kept.values()]).toEqual([{ text: 'look done', ttlMs: 5000 }]);
    },
  );

  proves(['TU-9', 'TN-1'], 'not for another tenant, other arguments, or a tool that has changed', async () => {
    const shelf = new Shelf();
    await turn(shelf, [look]);
    expect((await turn(shelf, [look], { tenant: 'other' })).ran).toHaveLength(1);
    expect((await turn(shelf, [{ name: 'look', arguments: '{"a":2}' }])).ran).toHaveLength(1);
    expect((await turn(shelf, [look], { description: 'second' })).ran).toHaveLength(1);
  });

  proves('TU-9', 'not of a tool with effects, whatever it declares; and a tool that declares nothing asks nobody', async () => {
    const shelf = new Shelf();
    await turn(shelf, [look], { effect: 'once' });
    expect((await turn(shelf, [look], { effect: 'once' })).ran).toHaveLength(1);
    await turn(shelf, [{ name: 'plain' }]);
    expect(shelf.asked).toBe(0);
  });

  proves('TU-9', 'not in a turn that may have changed what they say', async () => {
    const shelf = new Shelf();
    await turn(shelf, [look]);
    expect((await turn(shelf, [{ name: 'act' }, look])).ran).toEqual(['1.0', '2.0']);
  });

  proves('TU-9', 'a store that fails is a miss', async () => {
    const broken = { read: () => Promise.reject(new Error('away')), write: () => Promise.reject(new Error('away')) };
    expect((await turn(broken, [look])).ran).toEqual(['1.0']);
  });
});
