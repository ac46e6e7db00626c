import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { pluginFolder } from '../../test/plugin-folder.js';
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
