import { expect, test } from 'vitest';
import { commandNames, specOf, type CommandName } from '#routing';
import { ControlRegistry } from './control-registry.js';

const command = (name: CommandName) => ({ name, run: () => ({ reply: name }) });
const all = commandNames().filter((name) => specOf(name).kind === 'control');

test('RT-4 a command without an implementation stops the start, and so does one with two', () => {
  expect(() => new ControlRegistry(all.slice(1).map(command))).toThrow(`No class implements /${all[0]}`);
  expect(() => new ControlRegistry([...all, 'stop' as const].map(command))).toThrow('Two classes implement /stop');
  expect(new ControlRegistry(all.map(command)).find('stop').name).toBe('stop');
});
