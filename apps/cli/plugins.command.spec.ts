import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { pluginFolder, writePlugin } from '../../test/plugin-folder.js';
import { readEnvironment } from './environment.js';
import { run } from './program.js';

const root = pluginFolder({
  boom: {
    manifest: {
      name: 'Boom',
      description: 'Throws when it is imported.',
      version: '1.2.3',
      contracts: { tools: ['boom', 'bang'] },
      toolMetadata: { bang: { optional: true, ownerOnly: true } },
      configSchema: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    },
    code: `throw new Error('this code must not run');`,
  },
});

async function plugins(words: string, config: object = {}) {
  const file = join(root, 'turnpike.json5');
  writeFileSync(file, JSON.stringify({ plugins: { load: { paths: [root] }, ...config } }));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await run(['plugins', ...words.split(' '), '--config', file], readEnvironment({}), { stdin, stdout, stderr });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('TO-3 OP-5 plugins list reads manifests alone, and says what is wrong with a configuration', async () => {
  const { code, out } = await plugins('list');
  expect(code).toBe(0);
  expect(out).toMatch(/^PLUGIN {4}VERSION {2}STATE {4}FROM {5}TOOLS\n/);
  expect(out).toMatch(/^boom {6}1\.2\.3 {4}refused {2}path {5}boom, bang$/m);
  expect(out).toMatch(/^notes .* off +bundled +note_list, note_remove, note_save$/m);
  expect(out).toMatch(/^plugins\.entries\.boom\.config\.size: is required$/m);
  const json = JSON.parse((await plugins('list --json', { entries: { boom: { config: { size: 1 } } } })).out);
  expect(json.plugins[0]).toMatchObject({ id: 'boom', enabled: true, tools: ['boom', 'bang'], problems: [] });
});

test('TO-3 OP-5 plugins inspect shows what a manifest says', async () => {
  const { out } = await plugins('inspect boom', { entries: { boom: { config: { size: 1 } } } });
  expect(out).toMatch(/^Plugin {4}boom 1\.2\.3 {2}Boom\nSays {6}Throws when it is imported\.\nState {5}on\n/);
  expect(out).toMatch(/^Tools {5}boom, bang \(optional, owner only\)$/m);
  const { code, err } = await plugins('inspect bom');
  expect([code, err]).toEqual([2, expect.stringContaining('There is no plugin "bom". Found: boom, llm-task, notes.')]);
});

test('TO-9 a folder is installed with its integrity pinned, updated when it has changed, refused when somebody touched it, and removed', async () => {
  const directory = join(pluginFolder(), 'installed');
  const source = writePlugin(pluginFolder(), 'dice', {
    manifest: { version: '1.0.0', contracts: { tools: ['roll'] } },
    code: `throw new Error('not run');`,
  });
  const plugin = (words: string) => plugins(words, { directory, load: { paths: [] } });
  expect(await plugin(`install ${source}`)).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') });
  expect(existsSync(join(directory, 'dice'))).toBe(false);
  const { code, out } = await plugin(`install ${source} --yes`);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^Plugin {5}dice 1\.0\.0[^]*Integrity {2}sha512-[^]*Tools {6}roll\nInstalled dice 1\.0\.0\./),
  ]);
  expect((await plugin('list')).out).toMatch(/^dice +1\.0\.0 +on +installed +roll$/m);
  expect((await plugin('update dice --yes')).out).toContain('dice 1.0.0 is what');
  writeFileSync(
    join(source, 'turnpike.plugin.json'),
    JSON.stringify({ id: 'dice', version: '1.1.0', contracts: { tools: ['roll', 'flip'] } }),
  );
  expect((await plugin('update dice --yes')).out).toContain('Updated dice from 1.0.0 to 1.1.0.');
  expect((await plugin('list')).out).toMatch(/^dice +1\.1\.0 +on +installed +roll, flip$/m);
  writeFileSync(join(directory, 'dice', 'index.mjs'), 'export default 1;');
  expect((await plugin('list')).out).toContain('was changed since it was installed; install it again');
  expect(JSON.parse(readFileSync(join(directory, 'plugins.lock.json'), 'utf8'))).toMatchObject({
    plugins: { dice: { source, version: '1.1.0' } },
  });
  expect((await plugin('remove dice')).out).toMatch(/^Removed dice\./);
  expect(existsSync(join(directory, 'dice'))).toBe(false);
  expect((await plugin('remove dice')).err).toContain('dice was not installed');
});

test('TO-9 a package that npm finds is installed with its packages, and none of its scripts run', async () => {
  const directory = join(pluginFolder(), 'installed');
  const source = writePlugin(pluginFolder(), 'packed', {
    manifest: {},
    code: '',
    files: {
      'package.json': JSON.stringify({
        name: 'packed',
        version: '2.0.0',
        scripts: { prepack: 'exit 1', install: 'exit 1', postinstall: 'exit 1' },
      }),
    },
  });
  const { code, out } = await plugins(`install file:${source} --yes`, { directory, load: { paths: [] } });
  expect([code, out]).toEqual([0, expect.stringContaining('Installed packed 2.0.0.')]);
  expect(existsSync(join(directory, 'packed', 'index.mjs'))).toBe(true);
});
