import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tool } from '#agent';
import type { CatalogTool, ToolOrigin, ToolSource } from './catalog-tool.js';
import { LiveCatalog } from './live-catalog.js';
import { buildCatalog, type ToolCatalog } from './tool-catalog.js';

const toolOf = (name: string): Tool => ({
  name,
  description: '',
  parameters: {},
  effect: 'pure',
  execute: async () => ({ text: name, isError: false }),
});
const from = (origin: ToolOrigin, ...names: string[]): CatalogTool[] => names.map((name) => ({ tool: toolOf(name), origin }));
const native = (...names: string[]) => from({ kind: 'native' }, ...names);
const plugin = (id: string, ...names: string[]) => from({ kind: 'plugin', plugin: id }, ...names);
const mcp = (server: string, ...names: string[]) => from({ kind: 'mcp', server }, ...names);
const fixed = (kind: ToolSource['kind'], tools: CatalogTool[]): ToolSource => ({
  kind,
  tools: () => tools,
  onChange: () => () => {},
});
const namesOf = ({ all }: ToolCatalog) => all.map(({ name }) => name);

test('T13 TO-5 native tools come first as they are declared, then plugins and MCP servers by owner and name', () => {
  const plugins = [...plugin('b', 'z', 'y'), ...plugin('a', 'x')];
  const catalog = buildCatalog('1', [fixed('mcp', mcp('s', 'w')), fixed('plugin', plugins), fixed('native', native('n2', 'n1'))]);
  expect(namesOf(catalog)).toEqual(['n2', 'n1', 'x', 'y', 'z', 'w']);
});

test('T13 of two tools of one name the first owner keeps it, and both owners are named', () => {
  const catalog = buildCatalog('1', [
    fixed('plugin', [...plugin('b', 'Wait', 'same'), ...plugin('a', 'SAME')]),
    fixed('native', native('wait')),
  ]);
  expect(namesOf(catalog)).toEqual(['wait', 'SAME']);
  expect(catalog.refused).toMatchObject([
    { name: 'Wait', origin: { plugin: 'b' }, message: expect.stringMatching(/the plugin b is left out: Turnpike itself has/) },
    { name: 'same', origin: { plugin: 'b' }, message: expect.stringMatching(/the plugin b is left out: the plugin a has/) },
  ]);
});

test('T13 TO-5 every runner has the same catalog, in whatever order it heard of the tools', () => {
  const owner = fc.oneof(
    fc.constantFrom('a', 'b', 'c').map((id): ToolOrigin => ({ kind: 'plugin', plugin: id })),
    fc.constantFrom('s', 't').map((server): ToolOrigin => ({ kind: 'mcp', server })),
  );
  const distinct = { selector: (one: CatalogTool) => JSON.stringify([one.origin, one.tool.name]) };
  const offered = fc.uniqueArray(
    fc.tuple(owner, fc.constantFrom('one', 'One', 'two', 'three')).map(([origin, name]) => ({ tool: toolOf(name), origin })),
    distinct,
  );
  const shuffled = offered.chain((tools) =>
    fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length })),
  );
  fc.assert(
    fc.property(shuffled, ([tools, others]) => {
      const [here, there] = [tools, others].map((list) => buildCatalog('1', [fixed('plugin', list)]));
      expect(here?.tools.map(({ tool, origin }) => [tool.name, origin])).toEqual(
        there?.tools.map(({ tool, origin }) => [tool.name, origin]),
      );
      const lower = here?.all.map(({ name }) => name.toLowerCase());
      expect(new Set(lower).size).toBe(lower?.length);
    }),
  );
});

/** A source whose tools a test changes. */
function changing(tools: CatalogTool[]) {
  const listeners = new Set<(scope: 'process' | 'fleet') => void>();
  const source: ToolSource & { reads: number } = {
    kind: 'plugin',
    reads: 0,
    tools: () => tools,
    async refresh() {
      this.reads++;
      await Promise.resolve();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (scope: 'process' | 'fleet') => listeners.forEach((listener) => listener(scope));
  return { source, change, listeners };
}

test('TO-5 G8 10,000 turns at one version build the catalog once', async () => {
  const { source } = changing(plugin('a', 'x'));
  let built = 0;
  const live = new LiveCatalog([source], { built: () => (built += 1) });
  const first = await live.at(7);
  for (let turn = 1; turn < 10_000; turn++) expect(await live.at(7)).toBe(first);
  expect([built, source.reads]).toEqual([1, 1]);
});

test('TO-5 a version that has moved is read once, however many turns see it, and an older bucket changes nothing', async () => {
  const tools = plugin('a', 'x');
  const { source } = changing(tools);
  const live = new LiveCatalog([source]);
  await live.at(1);
  tools.push(...plugin('a', 'added'));
  expect(namesOf(live.current)).toEqual(['x']);
  const seen = await Promise.all([live.at(2), live.at(2), live.at(1), live.at(2)]);
  expect(seen.map(namesOf)).toEqual([['added', 'x'], ['added', 'x'], ['x'], ['added', 'x']]);
  expect(namesOf(await live.at(1))).toEqual(['added', 'x']);
  expect(source.reads).toBe(2);
});

test('TO-5 a change counts from the next turn; only one that no other process can see moves the version', async () => {
  const tools = plugin('a', 'x');
  const { source, change, listeners } = changing(tools);
  let told = 0;
  const live = new LiveCatalog([source], { changed: () => (told += 1) });
  const running = await live.at(0);
  tools.pop();
  change('process');
  expect([namesOf(running), namesOf(await live.at(0)), told]).toEqual([['x'], [], 0]);
  change('fleet');
  expect(told).toBe(1);
  live.close();
  expect(listeners.size).toBe(0);
});
