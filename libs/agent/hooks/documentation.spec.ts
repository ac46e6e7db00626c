import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HOOKS } from '../index.js';

const page = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8');

test('TU-3 docs/hooks.md gives every hook with its kind and its time, and no other', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (\d+) \|/gm)].map(([, ...row]) => row.join(' '));
  const wanted = Object.entries(HOOKS).map(([name, { kind, timeoutMs }]) => `${name} ${kind} ${timeoutMs}`);
  expect(new Set(rows)).toEqual(new Set(wanted));
});
