import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface PluginFiles {
  /** Of turnpike.plugin.json, besides the id. */
  manifest?: Record<string, unknown>;
  /** index.mjs; default: there is none. */
  code?: string;
  /** Further files by their path. */
  files?: Record<string, string>;
  manifestFile?: string;
}

/** A folder of plugins, as an operator has one: `<root>/<id>/turnpike.plugin.json` and its module. */
export function pluginFolder(plugins: Record<string, PluginFiles> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'turnpike-plugins-'));
  for (const [id, files] of Object.entries(plugins)) writePlugin(root, id, files);
  return root;
}

export function writePlugin(root: string, id: string, { manifest, code, files = {}, manifestFile }: PluginFiles): string {
  const folder = join(root, id);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write(manifestFile ?? 'turnpike.plugin.json', JSON.stringify({ id, ...manifest }));
  if (code !== undefined) write('index.mjs', code);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return folder;
}

/** The module of a plugin with one tool that answers `says`. */
export function toolPlugin(id: string, tool: string, says: string, more = ''): string {
  return `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
globalThis.registrations = (globalThis.registrations ?? 0) + 1;
export default defineToolPlugin({
  id: '${id}', name: '${id}', description: 'A plugin of a test.',
  tools: (tool) => [tool({
    name: '${tool}', description: 'Says ${says}.', parameters: Type.Object({ text: Type.Optional(Type.String()) }),
    ${more}
    execute: async ({ text }) => '${says}' + (text ?? ''),
  })],
});`;
}
