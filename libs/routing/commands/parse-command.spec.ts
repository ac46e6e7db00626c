import { expect, test } from 'vitest';
import { commandHelp, commandNames, parseCommand, specOf } from '../index.js';

test.each(['/stop', ' /STOP\n', '/stop:', '停', ' 停止 '])('RT-4 %j stops', (text) => {
  expect(parseCommand(text)).toEqual({ name: 'stop', args: '', addressed: false });
});

test.each([
  ['/queue steer', 'queue', 'steer'],
  ['/queue: steer', 'queue', 'steer'],
  ['/tell  turn left\nthen right ', 'steer', 'turn left\nthen right'],
  ['/commands', 'help', ''],
  ['/id', 'whoami', ''],
])('RT-4 %j is /%s', (text, name, args) => {
  expect(parseCommand(text)).toMatchObject({ name, args });
});

test.each([
  'stop',
  '/stop now',
  '/stop: now',
  '/stopped',
  '/stop@',
  '/queue up for tickets',
  '/help me with this letter',
  '/status of my order?',
  '/constructor',
  '/etc/passwd',
  '/',
  '',
  'please /stop',
  '停车',
  '请停止',
  '/停',
])('RT-4 %j is a message', (text) => {
  expect(parseCommand(text)).toBeUndefined();
});

test('RT-4 a command that names a bot says so', () => {
  expect(parseCommand('/stop@Turnpike_bot')).toEqual({ name: 'stop', args: '', addressed: true });
});

test('RT-4 no word means two commands', () => {
  const words = commandNames().flatMap((name) => [name, ...(specOf(name).aliases ?? []), ...(specOf(name).phrases ?? [])]);
  expect(new Set(words).size).toBe(words.length);
});

test('RT-4 help has a line for each command, and each line parses as what it explains', () => {
  const lines = commandHelp().split('\n');
  expect(lines).toHaveLength(commandNames().length);
  expect(lines.map((line) => parseCommand(/^\/\w+/.exec(line)?.[0] ?? '')?.name)).toEqual(commandNames());
});
