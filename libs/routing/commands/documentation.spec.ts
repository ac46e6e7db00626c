import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandNames, specOf, type CommandName } from '../index.js';

const page = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');

test('RT-4 docs/commands.md has a row for each command, in order, and no other', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `/'));
  expect(rows).toEqual(commandNames().map(rowOf));
});

function rowOf(name: CommandName): string {
  const { syntax, aliases = [], phrases = [], kind, who, help } = specOf(name);
  const command = `\`/${name}${syntax && ` ${syntax.replaceAll('|', '\\|')}`}\``;
  const others = [...aliases.map((alias) => `/${alias}`), ...phrases].map((word) => `\`${word}\``).join(', ');
  return `| ${command} | ${others} | ${kind} | ${who} | ${help} |`;
}
