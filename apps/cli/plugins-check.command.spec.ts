import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { pluginFolder } from '../../test/plugin-folder.js';
import { readEnvironment } from './environment.js';
import { run } from './program.js';

const configSchema = { type: 'object', required: ['token'], properties: { token: { type: 'string' } } };
const setup = `import { defineSetupPluginEntry } from 'turnpike/plugin-sdk';
export default defineSetupPluginEntry({
  id: 'shop',
  async check({ config, accounts, signal }) {
    if (config.token === 'throw-of-a-token') throw new Error('asked with ' + config.token);
    return [
      { what: 'the token is valid', ok: config.token === 'a-right-token', hint: 'make one at the shop, not ' + config.token },
      ...accounts.map(({ account, config: own }) => ({ what: account + ' is reached at ' + own.url, ok: !signal.aborted })),
    ];
  },
});`;
const root = pluginFolder({
  shop: {
    manifest: {
      configSchema,
      channels: ['shop'],
      channelConfigs: { shop: { schema: { type: 'object', properties: { url: { type: 'string', default: 'here' } } } } },
    },
    code: `throw new Error('the plugin itself must not run');`,
    files: {
      'package.json': JSON.stringify({ type: 'module', turnpike: { extensions: ['./index.mjs'], setupEntry: './setup.js' } }),
      'setup.js': setup,
    },
  },
  plain: { manifest: {}, code: '' },
});

async function check(words: string, token?: string): Promise<[code: number, out: string, err: string]> {
  const file = join(root, 'turnpike.json5');
  const entries = token === undefined ? {} : { shop: { config: { token } } };
  const channels = { plugins: { shop: { accounts: { main: {} } } } };
  writeFileSync(file, JSON.stringify({ plugins: { load: { paths: [root] }, entries }, channels }));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const line = ['plugins', 'check', ...words.split(' '), '--config', file];
  const code = await run(line, readEnvironment({}), { stdin, stdout, stderr });
  return [code, String(stdout.read() ?? ''), String(stderr.read() ?? '')];
}

test('TO-2 OP-5 plugins check runs the setup module of a plugin, and nothing else of it', async () => {
  expect(await check('shop', 'a-right-token')).toEqual([
    0,
    'yes  the configuration fits the manifest\nyes  the token is valid\n     make one at the shop, not ***\nyes  main is reached at here\n',
    '',
  ]);
  expect(await check('shop', 'a-wrong-token')).toEqual([
    1,
    expect.stringContaining('NO   the token is valid\n     make one at the shop, not ***\n'),
    expect.stringContaining('shop does not work yet.'),
  ]);
});

test('TO-2 TO-3 what is wrong with the configuration comes first, and a setup module that fails is told', async () => {
  const [code, out] = await check('shop');
  expect([code, out]).toEqual([1, 'NO   plugins.entries.shop.config.token: is required\n']);
  const [, failed] = await check('shop', 'throw-of-a-token');
  expect(failed).toContain('NO   its setup module runs\n     Error: asked with ***\n');
  expect(await check('plain --json', 'a-right-token')).toEqual([
    0,
    `${JSON.stringify({ id: 'plain', findings: [{ what: 'the configuration fits the manifest', ok: true }] })}\n`,
    '',
  ]);
  expect((await check('plane'))[2]).toContain('There is no plugin "plane". Found: llm-task, notes, plain, shop.');
});
