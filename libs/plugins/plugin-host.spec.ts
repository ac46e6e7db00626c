import { afterEach, expect, test } from 'vitest';
import { Hooks, PLAIN_TEXT, type ToolContext } from '#agent';
import { createLogger } from '#telemetry';
import { pluginFolder, toolPlugin, writePlugin } from '../../test/plugin-folder.js';
import type { PluginSettings } from './plan-plugins.js';
import { PluginHost } from './plugin-host.js';
import type { PluginServices } from './plugin-services.js';

const never = new AbortController().signal;
const hosts: PluginHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

function settingsOf(root: string, entries: PluginSettings['entries'] = {}): PluginSettings {
  return { enabled: true, directory: 'nowhere', load: { paths: [root], packages: [] }, entries, slots: {} };
}

async function hostOf(settings: PluginSettings, services: Partial<PluginServices> = {}) {
  const values = new Map<string, unknown>();
  const sent: string[] = [];
  const host = new PluginHost(() => settings, {
    logger: createLogger({ level: 'silent', name: 'test' }).logger,
    hooks: new Hooks(),
    storage: (plugin, tenant) => ({
      get: async (key) => values.get(`${tenant} ${plugin} ${key}`),
      set: async (key, value) => void values.set(`${tenant} ${plugin} ${key}`, value),
      delete: async () => undefined,
      keys: async () => [...values.keys()],
    }),
    complete: async ({ prompt }, call) => `${prompt} for ${call?.tenant}`,
    ...services,
  });
  hosts.push(host);
  await host.refresh();
  const context: ToolContext = {
    tenant: 'acme',
    session: 's',
    turn: 't~1',
    callId: 'c1',
    sends: {
      canSendNow: true,
      abilities: PLAIN_TEXT,
      findMessage: async () => undefined,
      now: async ({ key, text }) => ({ state: 'queued', sequenceInTurn: sent.push(`${key} ${text}`), queuedAt: 1 }),
      atEnd: async () => ({ sequenceInTurn: 1, queuedAt: 1 }),
    },
    state: { get: async (key) => values.get(key), set: async (key, value) => void values.set(key, value) },
    pay: () => undefined,
  };
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const found = host.tools().find(({ tool }) => tool.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return found.tool.execute(args, context, never);
  };
  const states = () => Object.fromEntries(host.plugins.map(({ id, status }) => [id, status]));
  return { host, call, states, values, sent };
}

const names = (host: PluginHost) => host.tools().map(({ tool }) => tool.name);

test('TO-2 a tool is typed by its schema, its arguments are checked, and its result is text for the model', async () => {
  const root = pluginFolder({ echo: { manifest: { contracts: { tools: ['echo'] } }, code: toolPlugin('echo', 'echo', 'hi ') } });
  const { call, states } = await hostOf(settingsOf(root));
  expect(states()).toEqual({ echo: { state: 'loaded' } });
  expect(await call('echo', { text: 'you' })).toEqual({ text: 'hi you', isError: false });
  const wrong = await call('echo', { text: 5 });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('text: must be string') });
});

test('TO-3 what throws on import, throws or waits in register, or breaks its contract harms only itself', async () => {
  const bad = (code: string) => ({ manifest: { contracts: { tools: ['x'] } }, code });
  const root = pluginFolder({
    'a-throws': bad(`throw new Error('on import')`),
    'b-throws': bad(`export default { id: 'b-throws', register() { throw new Error('in register'); } }`),
    'c-waits': bad(`export default { id: 'c-waits', register() { return new Promise(() => {}); } }`),
    'd-other': bad(toolPlugin('d-other', 'y', '')),
    'e-nothing': bad(`export const register = 5;`),
    'f-name': bad(toolPlugin('another', 'x', '')),
    'g-late': {
      code: `let a; export default { id: 'g-late', register(api) { api.registerService({ id: 's', start() { api.on('turn_end', () => {}); } }); } }`,
    },
    'h-missing': { manifest: { contracts: { tools: ['x'] } } },
    'z-good': { manifest: { contracts: { tools: ['good'] } }, code: toolPlugin('z-good', 'good', 'fine') },
  });
  const { host, states } = await hostOf(settingsOf(root));
  const why = (id: string) => {
    const status = states()[id];
    return status?.state === 'failed' ? status.error : status?.state;
  };
  expect(why('a-throws')).toContain('on import');
  expect(why('b-throws')).toContain('in register');
  expect(why('c-waits')).toContain('register must be synchronous');
  expect(why('d-other')).toContain('contracts.tools of the manifest lacks y');
  expect(why('d-other')).toContain('names x, which the code does not register');
  expect(why('e-nothing')).toContain('has to export what definePluginEntry or defineToolPlugin returns');
  expect(why('f-name')).toContain('the code calls itself another, the manifest f-name');
  expect(why('h-missing')).toContain('There is no module in');
  expect(why('g-late')).toBe('loaded');
  expect(names(host)).toEqual(['good']);
});

test('TO-3 activation.onStartup false: the catalog is made from the manifest, and the code runs at the first call, once', async () => {
  const parameters = { type: 'object', properties: { text: { type: 'string' } } };
  const manifest = {
    activation: { onStartup: false },
    contracts: { tools: ['lazy'] },
    toolMetadata: { lazy: { description: 'By the manifest.', parameters, optional: true, group: 'demo' } },
  };
  const root = pluginFolder({ lazy: { manifest, code: toolPlugin('lazy', 'lazy', 'ran') } });
  const { host, call, states } = await hostOf(settingsOf(root));
  const shown = () =>
    host
      .tools()
      .map(({ tool: { description, parameters: given }, optional, group }) => ({ description, given, optional, group }));
  const before = shown();
  expect(before).toEqual([{ description: 'By the manifest.', given: parameters, optional: true, group: 'demo' }]);
  expect(states()).toEqual({ lazy: { state: 'waiting' } });
  expect((await Promise.all([call('lazy'), call('lazy')])).map(({ text }) => text)).toEqual(['ran', 'ran']);
  expect(states()).toEqual({ lazy: { state: 'loaded' } });
  expect(shown()).toEqual(before);
});

test('TO-3 G8 settings that change load, end and configure plugins, and touch no other', async () => {
  const code = `import { definePluginEntry } from 'turnpike/plugin-sdk';
export default definePluginEntry({ id: 'a', register(api) {
  globalThis.told = [...(globalThis.told ?? []), api.pluginConfig.greeting];
  api.on('turn_end', () => { globalThis.ended = (globalThis.ended ?? 0) + 1; });
  api.registerService({ id: 's', start() { globalThis.told.push('start'); }, stop() { globalThis.told.push('stop'); } });
} });`;
  const configSchema = { type: 'object', properties: { greeting: { type: 'string', default: 'hi' } } };
  const root = pluginFolder({
    a: { manifest: { configSchema }, code },
    b: { manifest: { contracts: { tools: ['b'] } }, code: toolPlugin('b', 'b', '') },
  });
  const settings = settingsOf(root);
  const hooks = new Hooks();
  const { host } = await hostOf(settings, { hooks });
  const told = () => (globalThis as unknown as { told: string[] }).told;
  const [, b] = host.plugins;
  expect(hooks.has('turn_end')).toBe(true);
  settings.entries = { a: { config: { greeting: 'hello' } } };
  await host.refresh();
  await host.refresh();
  expect(told()).toEqual(['hi', 'start', 'stop', 'hello', 'start']);
  expect(host.plugins.find(({ id }) => id === 'b')).toBe(b);
  const changed = Promise.withResolvers<string>();
  host.onChange(changed.resolve);
  settings.entries = { a: { enabled: false, config: {} } };
  host.settingsChanged();
  expect(await changed.promise).toBe('process');
  expect([told().at(-1), hooks.has('turn_end'), names(host)]).toEqual(['stop', false, ['b']]);
  writePlugin(root, 'c', { manifest: { contracts: { tools: ['c'] } }, code: toolPlugin('c', 'c', '') });
  await host.refresh();
  expect(names(host)).toEqual(['b', 'c']);
});

test('TO-2 a tool has the session, the storage of its plugin and tenant, and models, in the name of its turn', async () => {
  const code = `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
export default defineToolPlugin({ id: 'p', name: 'p', description: 'p', tools: (tool) => [
  tool({ name: 'all', description: 'd', parameters: Type.Object({}), effect: 'pure', timeoutMs: 5, parallelSafe: false, ownerOnly: true,
    async execute(_, config, { session, storage, api, tenant, toolCallId }) {
      await session.reply('one'); await session.reply('two');
      await session.set('count', ((await session.get('count')) ?? 0) + 1);
      await storage.set('kept', 7);
      return { tenant, toolCallId, count: await session.get('count'), kept: await storage.get('kept'), said: await api.models.complete({ prompt: 'ask' }) };
    } }),
  tool({ name: 'made', description: 'd', parameters: Type.Object({}), factory: ({ toolContext }) => [
    { name: 'made', description: 'by ' + toolContext.tenant, parameters: {}, execute: async (id) => ({ content: [{ type: 'text', text: toolContext.tenant }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }], details: {} }) },
    { name: 'made_too', description: 'd', parameters: {}, execute: () => undefined } ] }),
  tool({ name: 'absent', description: 'd', parameters: Type.Object({}), factory: () => null }),
] });`;
  const root = pluginFolder({ p: { manifest: { contracts: { tools: ['all', 'made', 'made_too', 'absent'] } }, code } });
  const { host, call, values, sent } = await hostOf(settingsOf(root));
  expect(JSON.parse((await call('all')).text)).toEqual({
    tenant: 'acme',
    toolCallId: 'c1',
    count: 1,
    kept: 7,
    said: 'ask for acme',
  });
  expect(sent).toEqual(['c1:reply:1 one', 'c1:reply:2 two']);
  expect([...values]).toEqual([
    ['p:count', 1],
    ['acme p kept', 7],
  ]);
  expect(await call('made')).toEqual({ text: 'acme\n[image image/png, 3 bytes]', isError: false });
  expect(await call('made_too')).toEqual({ text: 'done', isError: false });
  expect(names(host)).toEqual(['all', 'made', 'made_too']);
  expect(host.tools()[0]).toMatchObject({ ownerOnly: true, tool: { effect: 'pure', timeoutMs: 5, parallelSafe: false } });
});

test('TO-2 a plugin gets another one only where its manifest requires it, and what that one shares', async () => {
  const asks = (id: string) =>
    `export default { id: '${id}', register(api) { globalThis.got = { ...globalThis.got, ${id}: api.plugins.get('zlib') }; } }`;
  const root = pluginFolder({
    able: { manifest: { requiresPlugins: ['zlib'] }, code: asks('able') },
    undeclared: { code: asks('undeclared') },
    zlib: { code: `export default { id: 'zlib', register(api) { api.plugins.share({ answer: 42 }); } }` },
  });
  const { states } = await hostOf(settingsOf(root));
  expect((globalThis as unknown as { got: object }).got).toEqual({ able: { answer: 42 } });
  expect(states()['undeclared']).toMatchObject({ error: expect.stringContaining('name it in requiresPlugins of the manifest') });
});

test('TO-2 a plugin imports the SDK, its own files and Node; not our insides, not another plugin, nothing above its folder', async () => {
  const inside = new URL('../kernel/index.ts', import.meta.url).href;
  const code = (line: string) => `${line}\nexport default { id: 'x', register() {} };`;
  const importing = (line: string) => ({ code: code(line) });
  const root = pluginFolder({
    insides: importing(`import '${inside}';`),
    neighbour: importing(`import '../own/index.mjs';`),
    outside: importing(`import '../../etc.mjs';`),
    subpath: importing(`import 'turnpike/libs/kernel';`),
    claw: importing(`import 'openclaw/plugin-sdk/nothing-of-it';`),
    own: {
      code: `import './lib/part.mjs'; import 'node:fs'; import 'typebox';\nexport default { id: 'own', register() {} };`,
      files: { 'lib/part.mjs': '' },
    },
  });
  const { states } = await hostOf(settingsOf(root));
  const errors = Object.entries(states()).map(([id, status]) => [
    id,
    status.state === 'failed' ? status.error.split('\n')[0] : status.state,
  ]);
  expect(Object.fromEntries(errors)).toEqual({
    insides: expect.stringContaining('may not import'),
    neighbour: expect.stringContaining('may not import "../own/index.mjs": that is outside of its folder'),
    outside: expect.stringMatching(/may not import|Cannot find module/),
    subpath: expect.stringContaining('Turnpike does not provide it'),
    claw: expect.stringContaining('Turnpike does not provide it'),
    own: 'loaded',
  });
});

test('TO-10 tool plugins of OpenClaw load unchanged: tool-plugin entries, bare register functions, older manifests, CommonJS', async () => {
  const entry = `import { defineToolPlugin, getToolPluginMetadata } from 'openclaw/plugin-sdk/tool-plugin';
import { Type } from 'typebox';
const plugin = defineToolPlugin({
  id: 'stock', name: 'Stock', description: 'Quotes.', configSchema: Type.Object({ currency: Type.Optional(Type.String()) }),
  tools: (tool) => [tool({ name: 'quote', label: 'Quote', description: 'A quote.', parameters: Type.Object({ symbol: Type.String() }), optional: true,
    async execute({ symbol }, config, context) { context.signal?.throwIfAborted(); return { symbol, currency: config.currency, id: context.toolCallId, api: context.api.id }; } })],
});
if (getToolPluginMetadata(plugin).tools[0].name !== 'quote') throw new Error('no metadata');
export default plugin;`;
  const bare = `module.exports.default = function register(api) {
  const { currency } = api.config.plugins.entries.bare.config;
  api.registerTool((context) => ({ name: 'bare', description: 'd', parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [{ type: 'text', text: currency }], details: {} }) }), { name: 'bare' });
  api.registerCli(() => {}, { commands: ['bare'] });
  api.on('gateway_start', () => {});
  if (api.runtime?.llm?.complete) throw new Error('there is none');
};`;
  const openclaw = { manifestFile: 'openclaw.plugin.json' };
  const root = pluginFolder({
    bare: { ...openclaw, manifest: { configSchema: { type: 'object' } }, files: { 'index.js': bare } },
    gap: { ...openclaw, code: `import { runEmbeddedAgent } from 'openclaw/plugin-sdk/plugin-entry';` },
    stock: {
      ...openclaw,
      manifest: {
        configSchema: { type: 'object' },
        contracts: { tools: ['quote'] },
        toolMetadata: { quote: { optional: true } },
      },
      code: entry,
    },
  });
  const { host, call, states } = await hostOf(
    settingsOf(root, { bare: { config: { currency: 'EUR' } }, stock: { config: { currency: 'CHF' } } }),
  );
  expect(states()).toMatchObject({
    bare: { state: 'loaded' },
    stock: { state: 'loaded' },
    gap: { error: expect.stringContaining('runEmbeddedAgent') },
  });
  expect(JSON.parse((await call('quote', { symbol: 'X' })).text)).toEqual({
    symbol: 'X',
    currency: 'CHF',
    id: 'c1',
    api: 'stock',
  });
  expect(await call('bare')).toEqual({ text: 'EUR', isError: false });
  const lacking = host.plugins.find(({ id }) => id === 'bare')?.registration?.lacking;
  expect([...(lacking ?? [])]).toEqual(['registerCli', 'on("gateway_start")', 'runtime.llm']);
  expect(host.tools().find(({ tool }) => tool.name === 'quote')).toMatchObject({ optional: true, tool: { effect: 'once' } });
});
