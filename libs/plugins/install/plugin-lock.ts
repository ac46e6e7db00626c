import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';

const lockSchema = z.object({
  plugins: z.record(
    z.string(),
    z.object({
      /** What it was installed from: a folder, a repository, or what npm was asked for. */
      source: z.string(),
      version: z.string(),
      /** What the branch or tag of a repository stood for. */
      commit: z.string().optional(),
      /** Of npm's tarball, as the registry says it; of a folder or repository: its files. */
      integrity: z.string(),
      /** Of its own files as they were installed, without its node_modules. */
      files: z.string(),
    }),
  ),
});
export type PluginLock = z.infer<typeof lockSchema>;

const FILE = 'plugins.lock.json';

/** What is installed in a directory of plugins, pinned. */
export function readLock(directory: string): PluginLock {
  const file = join(directory, FILE);
  return existsSync(file) ? lockSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : { plugins: {} };
}

export function writeLock(directory: string, { plugins }: PluginLock): void {
  const sorted = Object.fromEntries(Object.entries(plugins).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(join(directory, FILE), `${JSON.stringify({ plugins: sorted }, undefined, 2)}\n`);
}

/** sha512 over names and contents, as npm writes one. */
export function filesIntegrity(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith('node_modules'))
    .toSorted();
  const hash = createHash('sha512');
  for (const name of files)
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  return `sha512-${hash.digest('base64')}`;
}
