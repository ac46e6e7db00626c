import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENV_OPTIONS } from './env-overrides.js';
import { optionPaths } from './schema-map.js';

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

/** A tenant's sections are explained once, as those of the top level; so are access and the tools policy, which channels and accounts have too, and the rates of an account. */
const documented = (paths: string[]): string[] =>
  paths.map((path) =>
    path
      .replaceAll('*', '<id>')
      .replace(/^tenants\.<id>\./, '')
      // A channel of a plugin has what every channel has, and its own options under `config`.
      .replace(/^channels\.plugins\.<id>\.(?=access|tools|accounts\.<id>\.(?:access|tools|rates))/, 'channels.plugins.')
      .replace(/^channels\.\w+\.(accounts\.<id>\.)?access\./, 'access.')
      .replace(/^(?:agents\.<id>|channels\.\w+|channels\.\w+\.accounts\.<id>)\.tools\./, 'tools.')
      .replace(/^tools\.(?:byProvider\.<id>|bySender\.<id>|subagents)\./, 'tools.')
      .replace(/^channels\.\w+\.accounts\.<id>\.rates\./, 'channels.<channel>.accounts.<id>.rates.'),
  );

test('OP-6 docs/configuration.md explains every option and every variable', () => {
  const paths = documented(optionPaths());
  expect(paths).toContain('channels.telegram.accounts.<id>.botToken');
  const wanted = [...paths, ...ENV_OPTIONS.map(({ name }) => name), 'TURNPIKE_CONFIG'];
  expect(wanted.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('OP-6 docs/configuration.md explains nothing that is not there', () => {
  const known = new Set(documented(optionPaths()));
  const explained = [...page.matchAll(/^\| `([a-z][\w.<>]*)` \|/gm)].map(([, name]) => name);
  expect(explained.length).toBeGreaterThan(40);
  expect(explained.filter((name) => !known.has(name ?? ''))).toEqual([]);
});
