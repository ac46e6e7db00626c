import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, generic, shown, telegramChat, type Said } from './chat-world.js';
import { waitUntil } from './harness/wait-until.js';
import { pluginFolder, writePlugin } from './plugin-folder.js';
import { proves } from './proves.js';

/** A plugin that says when it registers, and whose tool keeps a count with the session and answers by itself. */
const pluginOf = (id: string, tool: string): string => `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
const plugin = defineToolPlugin({
  id: '${id}', name: '${id}', description: 'A plugin of a test.',
  tools: (tool) => [tool({
    name: '${tool}', description: 'Counts.', effect: 'idempotent',
    parameters: Type.Object({ step: Type.Integer() }),
    async execute({ step }, _config, { session, storage }) {
      const before = (await session.get('count')) ?? 0;
      await session.set('count', before + step);
      await storage.set('last', step);
      await session.reply('counted ' + (before + step));
      return { count: await session.get('count'), last: await storage.get('last') };
    },
  })],
});
export default { ...plugin, register(api) { api.logger.info('registered'); plugin.register(api); } };`;

/** A provider whose models say what they are asked, and a command. */
const parrot = `import { defineSingleProviderPluginEntry, Type } from 'turnpike/plugin-sdk';
const plugin = defineSingleProviderPluginEntry({
  id: 'parrot', name: 'Parrot', description: 'Repeats.', configSchema: Type.Object({ mark: Type.Optional(Type.String()) }),
  provider: ({ config }) => ({
    id: 'parrot',
    async *stream({ model, messages }) {
      yield { type: 'text', text: model + ': ' + messages.at(-1).text + (config.mark ?? '') };
      yield { type: 'stop', reason: 'stop' };
    },
  }),
});
export default { ...plugin, register(api) {
  plugin.register(api);
  api.registerCommand({ name: 'visits', description: 'Counts.', async handler({ args, storage }) {
    if (args === 'fail') throw new Error('as told');
    const count = ((await storage.get('visits')) ?? 0) + 1;
    await storage.set('visits', count);
    return args + ' ' + count;
  } });
} };`;
const parrotManifest = {
  providers: ['parrot'],
  contracts: { commands: ['visits'] },
  configSchema: { type: 'object', properties: { mark: { type: 'string' } } },
};

/** A memory in the storage of its plugin: found is what has the words. */
const attic = `import { definePluginEntry } from 'turnpike/plugin-sdk';
export default definePluginEntry({ id: 'attic', name: 'Attic', register(api) {
  const notes = async ({ tenant }) => (await api.storage.of(tenant).get('notes')) ?? [];
  api.registerMemory({
    search: async (query, limit, owner) => (await notes(owner)).filter(({ text }) => text.includes(query)).slice(0, limit),
    get: async (id, owner) => (await notes(owner)).find((note) => note.id === id),
    async write({ id, text }, owner) {
      if (text === 'too much') throw new Error('the attic is full');
      const others = (await notes(owner)).filter((note) => note.id !== id);
      await api.storage.of(owner.tenant).set('notes', [...others, { id, text, at: 0 }]);
    },
  });
} });`;

const root = pluginFolder({
  attic: { manifest: {}, code: attic },
  parrot: { manifest: parrotManifest, code: parrot },
  first: { manifest: { contracts: { tools: ['first_count'] } }, code: pluginOf('first', 'first_count') },
});
let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.start({
    runners: 3,
    config: {
      plugins: { load: { paths: [root] }, entries: { parrot: { config: { mark: '!' } } }, slots: { memory: 'attic' } },
      agents: { bird: { model: 'parrot/grey' } },
    },
  });
}, 90_000);
afterAll(() => world?.close());

const calls = (name: string, step: number) => ({ toolCalls: [{ name, arguments: { step } }] });
const toolsOf = (text: string): string[] => (world.asked(text)[0]?.body.tools ?? []).map((tool) => tool.function.name);
const registrations = (plugin: string) =>
  world.fleet
    .of('runner')
    .map(({ lines }) => lines.filter((line) => line['msg'] === 'registered' && line['plugin'] === plugin).length);

/** How many turns each runner has begun. */
const begun = (): number[] =>
  world.fleet.of('runner').map(({ lines }) => lines.filter(({ msg }) => msg === 'Turn started').length);

async function everyRunner(word: string): Promise<string[]> {
  const before = begun();
  const texts: string[] = [];
  await waitUntil(
    'every runner has had a turn',
    async () => {
      const round = Array.from({ length: 9 }, (_, n) => `${word} ${texts.length + n}`);
      texts.push(...round);
      const said = await Promise.all(round.map((text) => world.say(generic('dedupe', text), text, [{ text, chunkDelayMs: 20 }])));
      await Promise.all(said.map((one) => world.settled(one)));
      return begun();
    },
    (now) => now.every((count, index) => count > (before[index] ?? 0)),
  );
  return texts;
}

describe('plugins of a fleet', () => {
  proves(
    ['G8', 'TO-5', 'TO-2', 'T12'],
    'a tool that is added while three runners stream is in the next request of each; every process registers it once',
    async () => {
      const streaming = Array.from({ length: 9 }, (_, n) => `streams ${n}`);
      const said = await Promise.all(
        streaming.map((text) =>
          world.say(generic('plain', text), text, [{ text: 'a long answer '.repeat(30), chunkDelayMs: 20 }]),
        ),
      );
      await Promise.all(streaming.map((text) => world.askedTimes(text, 1)));
      writePlugin(root, 'second', {
        manifest: { contracts: { tools: ['second_count'] } },
        code: pluginOf('second', 'second_count'),
      });
      // No hint and no reload: what is durable has to be enough.
      await world.platform.catalog.bump();
      const after = await everyRunner('after');
      for (const text of streaming) expect(toolsOf(text)).not.toContain('second_count');
      for (const text of after) expect(toolsOf(text).slice(-2)).toEqual(['first_count', 'second_count']);
      const orders = new Set([...after].map((text) => JSON.stringify(world.asked(text)[0]?.body.tools)));
      expect(orders.size).toBe(1);
      expect([registrations('first'), registrations('second')]).toEqual([
        [1, 1, 1],
        [1, 1, 1],
      ]);
      await Promise.all(said.map((one) => world.settled(one)));
    },
  );

  proves(['B048', 'TO-5'], 'every kind of session is given the same tools, the message tool among them', async () => {
    const places = {
      telegram: telegramChat('9001'),
      webhook: generic('dedupe', 'kinds'),
      web: { channel: 'webchat', account: 'default', conversation: 'kinds' },
    };
    const seen = await Promise.all(
      Object.entries(places).map(async ([kind, target]) => {
        await world.settled(await world.say(target, `kind ${kind}`));
        return toolsOf(`kind ${kind}`);
      }),
    );
    expect(seen[0]).toEqual(expect.arrayContaining(['message', 'first_count']));
    expect(new Set(seen.map((tools) => JSON.stringify(tools))).size).toBe(1);
  });

  proves('TO-2', 'what a tool sets is seen by later steps and turns, and is undone with a turn that is stopped', async () => {
    const counts = async (said: Said): Promise<unknown[]> =>
      (await world.settled(said)).messages.flatMap((message) =>
        message.role === 'tool' && !message.isError ? [JSON.parse(message.text) as unknown] : [],
      );
    const place = generic('dedupe', 'counting');
    const first = await world.say(place, 'count 1', [calls('first_count', 1), calls('first_count', 2)]);
    expect(await counts(first)).toEqual([
      { count: 1, last: 1 },
      { count: 3, last: 2 },
    ]);
    const stopped = await world.say(place, 'count 2', [
      calls('first_count', 10),
      { toolCalls: [{ name: 'wait', arguments: { seconds: 60 } }] },
    ]);
    await world.askedTimes('count 2', 2);
    await waitUntil(
      'its send has arrived',
      () => shown(world.dedupe, 'counting'),
      (texts) => texts.includes('counted 13'),
    );
    const { turn } = await world.platform.sessions.cancel(stopped.session, { what: 'current' });
    world.control.cancel({ session: stopped.session, turn: turn ?? '' });
    expect(await world.ended(stopped)).toMatchObject({ outcome: 'cancelled' });
    expect(await counts(await world.say(place, 'count 3', [calls('first_count', 1)]))).toEqual([{ count: 4, last: 1 }]);
    expect(await counts(await world.say(generic('dedupe', 'elsewhere'), 'count 4', [calls('first_count', 1)]))).toEqual([
      { count: 1, last: 1 },
    ]);
    expect(shown(world.dedupe, 'counting').filter((text) => text.startsWith('counted'))).toEqual([
      'counted 1',
      'counted 3',
      'counted 13',
      'counted 4',
    ]);
  });

  proves(['TO-2', 'MO-1'], 'a plugin brings a provider of models, and a command that no model sees', async () => {
    const place = generic('dedupe', 'birds');
    await world.settled(await world.say(place, 'hello', [], { agent: 'bird' }));
    await world.settled(await world.say(place, '/visits one', [], { agent: 'bird' }));
    await world.settled(await world.say(place, '/Visits two', [], { agent: 'bird' }));
    await world.settled(await world.say(place, '/visits fail', [], { agent: 'bird' }));
    await world.settled(await world.say(place, '/visitors', [], { agent: 'bird' }));
    expect(shown(world.dedupe, 'birds')).toEqual([
      'grey: hello!',
      'one 1',
      'two 2',
      '/visits failed: Error: as told',
      'grey: /visitors!',
    ]);
  });

  proves(['TO-3', 'OP-6'], 'a reload enables, configures and disables plugins without a restart', async () => {
    await world.reconfigure({ plugins: { entries: { notes: { enabled: true }, first: { enabled: false } } } });
    const tools = async (text: string): Promise<string[]> => {
      await world.settled(await world.say(generic('dedupe', 'reload'), text));
      return toolsOf(text);
    };
    let asked = 0;
    await waitUntil(
      'the plugins have changed',
      () => tools(`reload ${++asked}`),
      (names) => names.includes('note_save'),
    );
    expect(toolsOf(`reload ${asked}`)).not.toContain('first_count');
  });

  proves('TO-2', 'what one conversation has written into the memory of a plugin, another one finds', async () => {
    const use = (name: string, args: object) => ({ toolCalls: [{ name: `memory_${name}`, arguments: args }] });
    const results = async (conversation: string, ...steps: ReturnType<typeof use>[]): Promise<string[]> => {
      const record = await world.settled(await world.say(generic('dedupe', conversation), `remember ${conversation}`, steps));
      return record.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
    };
    const [kept = '', failed, empty] = await results(
      'writes',
      use('write', { text: 'The door code is 4711.' }),
      use('write', { text: 'too much' }),
      use('write', { text: '' }),
    );
    const id = /^Kept as (\S+)\.$/.exec(kept)?.[1] ?? '';
    expect(failed).toBe('memory_write failed: the attic is full');
    expect(empty).toContain('Invalid arguments for memory_write, nothing was run');
    const note = `${id} (1970-01-01T00:00:00.000Z)\nThe door code is 4711.`;
    const found = await results('reads', use('search', { query: 'door' }), use('get', { id }), use('search', { query: 'roof' }));
    expect(found).toEqual([note, note, 'Nothing was found.']);
  });
});
