import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { readEnvironment } from './environment.js';
import { run } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-route-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'turnpike.json5');
const bot = { botToken: '1:bot', secretToken: 'telegram-secret-0001' };
const config = {
  agents: { front: {}, ops: {} },
  defaultAgent: 'front',
  channels: { telegram: { accounts: { shop: { ...bot, agent: 'front' } } } },
  bindings: [
    { agent: 'ops', match: { channel: 'telegram', peer: { kind: 'group', id: '-100' } } },
    { agent: 'front', match: { channel: 'telegram', peer: { kind: 'group', id: '-100', thread: '55' } } },
  ],
  tenants: { acme: { channels: { telegram: { accounts: { a: bot, b: bot } } } } },
};

async function explain(words: string, written: object = config) {
  writeFileSync(file, JSON.stringify(written));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await run(['route', 'explain', '--config', file, ...words.split(' ')], readEnvironment({}), {
    stdin,
    stdout,
    stderr,
  });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('RT-1 OP-5 route explain says agent, rule and session, and why no earlier rule decided', async () => {
  const { code, out } = await explain('--channel telegram --peer=-100 --kind group --thread 56');
  expect(code).toBe(0);
  expect(out).toBe(
    [
      'Agent    ops',
      'Rule     binding.peer.parent, by bindings.0',
      'Session  default.ops.telegram.shop.group.-100.56',
      'Tenant   default',
      '',
      'The rules in their order:',
      '  binding.peer           bindings.0  peer.thread: asks for none, the message has 56',
      '                         bindings.1  peer.thread: asks for 55, the message has 56',
      '  binding.peer.parent    bindings.0  matches',
      '',
    ].join('\n'),
  );
});

test('RT-1 OP-5 route explain as JSON, and what nobody bound', async () => {
  const { out } = await explain('--channel telegram --peer 5 --json');
  expect(JSON.parse(out)).toMatchObject({
    agent: 'front',
    matchedBy: 'binding.account',
    session: 'default.front.telegram.shop.direct.5',
  });
  const acme = await explain('--channel telegram --account b --peer 5 --tenant acme');
  expect(acme.out).toContain('Rule     default, by the only agent\nSession  acme.main.telegram.b.direct.5');
});

test.each([
  ['--channel telegram --peer 5 --tenant nobody', 2, '"nobody" is no tenant. Configured: default, acme.'],
  [
    '--channel telegram --peer 5 --tenant acme',
    2,
    'Which account of telegram? Its accounts are: telegram a, telegram b, webchat default.',
  ],
  ['--channel telegram --account a --peer 5', 2, 'Tenant default has no account "a" of telegram.'],
  ['--channel telegram', 2, "required option '--peer <id>' not specified"],
  ['--channel telegram --peer 5 --kind room', 2, 'Allowed choices are direct, group, channel'],
])('OP-5 route explain %s', async (words, code, says) => {
  const said = await explain(words);
  expect(said).toMatchObject({ code, out: '' });
  expect(said.err).toContain(says);
});

test('OP-5 route explain of a file that cannot be used says what is wrong with it', async () => {
  const said = await explain('--channel telegram --peer 5', { ...config, defaultAgent: 'x' });
  expect(said.code).toBe(1);
  expect(said.err).toContain('defaultAgent: "x" is no agent; known: front, ops');
});
