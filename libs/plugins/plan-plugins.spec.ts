import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pluginFolder, writePlugin } from '../../test/plugin-folder.js';
import { planPlugins, pluginProblems, type PluginSettings } from './plan-plugins.js';

const THROWS = `throw new Error('this code must not run');`;

function settingsOf(root: string, more: Partial<PluginSettings> = {}): PluginSettings {
  return { enabled: true, directory: 'nowhere', load: { paths: [root], packages: [] }, entries: {}, slots: {}, ...more };
}
const planOf = (settings: PluginSettings) => planPlugins(settings).plugins.filter(({ origin }) => origin !== 'bundled');

test('TO-3 list, validation and tool names come from the manifest: a plugin that throws on import is described whole', () => {
  const manifest = {
    description: 'Boom.',
    version: '1.2.3',
    contracts: { tools: ['boom'] },
    channels: ['smoke'],
    unknownField: 1,
  };
  const root = pluginFolder({ boom: { manifest, code: THROWS } });
  expect(planOf(settingsOf(root))).toMatchObject([
    {
      manifest: { id: 'boom', description: 'Boom.', contracts: { tools: ['boom'] }, channels: ['smoke'] },
      version: '1.2.3',
      enabled: true,
      problems: [],
    },
  ]);
});

test('TO-3 config is checked before code runs, every problem names its path, and defaults are filled in', () => {
  const configSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: { type: 'string' },
      most: { type: 'integer', default: 5 },
      mode: { enum: ['a', 'b'] },
      at: { type: 'object', properties: { url: { type: 'string' } } },
    },
  };
  const root = pluginFolder({ search: { manifest: { configSchema }, code: THROWS } });
  const config = { most: 'many', mode: 'c', at: { url: 7 }, typo: 1 };
  expect(
    pluginProblems(settingsOf(root, { entries: { search: { config } } }))
      .map(({ path, message }) => `${path}: ${message}`)
      .toSorted(),
  ).toEqual([
    'plugins.entries.search.config.apiKey: is required',
    'plugins.entries.search.config.at.url: must be string',
    'plugins.entries.search.config.mode: must be one of ["a","b"]',
    'plugins.entries.search.config.most: must be integer',
    'plugins.entries.search.config.typo: is not known',
  ]);
  const [plan] = planOf(settingsOf(root, { entries: { search: { config: { apiKey: 'k' } } } }));
  expect(plan?.config).toEqual({ apiKey: 'k', most: 5 });
  expect(pluginProblems(settingsOf(root, { entries: { search: { enabled: false, config } } }))).toEqual([]);
});

test('TO-3 a broken manifest names its file and the path in it, and leaves out only its own plugin', () => {
  const root = pluginFolder({ bad: { manifest: { contracts: { tools: 'none' }, activation: { onStartup: 'yes' } } }, good: {} });
  mkdirSync(join(root, 'text'));
  writeFileSync(join(root, 'text', 'turnpike.plugin.json'), '{');
  const plan = planPlugins(settingsOf(root));
  expect(plan.plugins.map(({ manifest }) => manifest.id)).toContain('good');
  const problems = plan.problems.map(({ message }) => message);
  expect(problems).toHaveLength(2);
  expect(problems[0]).toMatch(/bad\/turnpike\.plugin\.json: activation\.onStartup: .*contracts\.tools: /);
});

test('TO-3 folders, packages and what is installed are sources; the first of two with one id counts', () => {
  const [first, second, installed] = [
    pluginFolder({ one: {} }),
    pluginFolder({ one: {}, two: { manifestFile: 'openclaw.plugin.json' } }),
    pluginFolder({ three: {} }),
  ];
  const alone = writePlugin(pluginFolder(), 'alone', {});
  const load = { paths: [first, second, alone, join(first, 'none')], packages: ['@not/installed', '../escape'] };
  const plan = planPlugins(settingsOf('', { load, directory: installed }));
  expect(
    plan.plugins
      .filter(({ origin }) => origin !== 'bundled')
      .map(({ manifest: { id }, origin, foreign }) => [id, origin, foreign]),
  ).toEqual([
    ['alone', 'path', false],
    ['one', 'path', false],
    ['three', 'installed', false],
    ['two', 'path', true],
  ]);
  expect(plan.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('the plugin one is already found in'),
    expect.stringContaining('holds no plugin'),
    expect.stringContaining('is not installed'),
    expect.stringContaining('is not installed'),
  ]);
});

test('TO-3 a plugin loads behind those it requires, and says which one is missing', () => {
  const root = pluginFolder({
    a: { manifest: { requiresPlugins: ['b'] } },
    b: {},
    c: { manifest: { requiresPlugins: ['gone', 'off'] } },
    off: {},
  });
  const settings = settingsOf(root, { entries: { off: { enabled: false, config: {} } } });
  expect(planOf(settings).map(({ manifest }) => manifest.id)).toEqual(['b', 'a', 'off', 'c']);
  expect(pluginProblems(settings).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'plugins.entries.gone.enabled: the plugin c requires gone, which is not installed',
    'plugins.entries.off.enabled: the plugin c requires off, which is not enabled',
  ]);
});

test('TO-3 plugins that come with Turnpike are there, off unless they are enabled', () => {
  const bundled = (settings: PluginSettings) => planPlugins(settings).plugins.filter(({ origin }) => origin === 'bundled');
  const off = bundled(settingsOf('', { load: { paths: [], packages: [] } }));
  expect(off.map(({ manifest: { id }, enabled }) => [id, enabled])).toEqual([
    ['llm-task', false],
    ['notes', false],
  ]);
  const on = bundled(settingsOf('', { load: { paths: [], packages: [] }, entries: { notes: { enabled: true, config: {} } } }));
  expect(on.find(({ enabled }) => enabled)).toMatchObject({ manifest: { id: 'notes' }, config: { maxNotes: 100 } });
});
