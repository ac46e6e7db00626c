import { expect, test } from 'vitest';
import type { Tool } from '#agent';
import type { ToolSource } from '../catalog/catalog-tool.js';
import { buildCatalog } from '../catalog/tool-catalog.js';
import { VisibleTools } from './visible-tools.js';

const toolOf = (name: string): Tool => ({
  name,
  description: '',
  parameters: {},
  effect: 'pure',
  execute: async () => ({ text: name, isError: false }),
});
const source: ToolSource = {
  kind: 'native',
  tools: () => ['c', 'a', 'b'].map((name) => ({ tool: toolOf(name), origin: { kind: 'native' } })),
  onChange: () => () => undefined,
};
const place = (at: string, deny: string[]) => ({ at, rules: { alsoAllow: [], deny } });

test('TO-7 G8 whoever has the same rules has one list, in the order of the catalog, until catalog or configuration change', () => {
  const [catalog, config, visible] = [buildCatalog('1', [source]), {}, new VisibleTools()];
  const first = visible.of({ catalog, config }, [place('tools', ['a'])], false);
  expect([first.tools.map(({ name }) => name), [...first.names]]).toEqual([
    ['c', 'b'],
    ['c', 'b'],
  ]);
  // As each turn makes them anew.
  for (let turn = 0; turn < 100; turn++) expect(visible.of({ catalog, config }, [place('tools', ['a'])], false)).toBe(first);
  expect(visible.of({ catalog, config }, [place('tools', ['a'])], true)).not.toBe(first);
  expect(visible.of({ catalog, config }, [place('tools', ['a']), place('agents.x.tools', ['b'])], false).names).toEqual(
    new Set('c'),
  );
  expect(visible.of({ catalog, config: {} }, [place('tools', ['c'])], false).names).toEqual(new Set(['a', 'b']));
  expect(visible.of({ catalog: buildCatalog('2', [source]), config }, [place('tools', ['a'])], false)).not.toBe(first);
});
