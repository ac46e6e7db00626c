import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { InvalidInputError } from '#kernel';
import { readPlugin, type FoundPlugin } from '../discover-plugins.js';
import { checkOut, gitSource } from './git-source.js';
import { filesIntegrity, readLock, writeLock, type PluginLock } from './plugin-lock.js';

const run = promisify(execFile);
const packedSchema = z.array(z.object({ filename: z.string(), integrity: z.string() })).min(1);

/** A plugin that is on this disk and not yet installed: its manifest is read, and nothing of it has run. */
export interface StagedPlugin {
  found: FoundPlugin;
  locked: PluginLock['plugins'][string];
  /** Puts it in the place of whatever was installed under its id. */
  install(): void;
  discard(): void;
}

/**
 * Fetches a plugin into `directory` without running anything of it: install scripts of it and of its packages are not run.
 * @param source a folder, a repository (git-source.ts), or what npm takes: name, name@version
 */
export async function stagePlugin(directory: string, source: string): Promise<StagedPlugin> {
  mkdirSync(directory, { recursive: true });
  const staging = mkdtempSync(join(directory, '.staging-'));
  const discard = (): void => rmSync(staging, { recursive: true, force: true });
  try {
    const folder = join(staging, 'package');
    const pins = await fetched(source, folder, staging);
    await installPackages(folder);
    const found = readPlugin(folder, 'installed');
    const locked = { source, version: found.version, ...pins, files: filesIntegrity(folder) };
    const install = (): void => {
      place(directory, found.manifest.id, folder);
      const lock = readLock(directory);
      writeLock(directory, { plugins: { ...lock.plugins, [found.manifest.id]: locked } });
      discard();
    };
    return { found, locked, install, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/** Throws InvalidInputError when it was not installed here. */
export function removePlugin(directory: string, id: string): void {
  const { plugins } = readLock(directory);
  if (!plugins[id])
    throw new InvalidInputError(
      `${id} was not installed in ${directory}; installed: ${Object.keys(plugins).join(', ') || 'none'}`,
    );
  const { [id]: _, ...others } = plugins;
  writeLock(directory, { plugins: others });
  rmSync(join(directory, id), { recursive: true, force: true });
}

type Pins = Pick<PluginLock['plugins'][string], 'integrity' | 'commit'>;

async function fetched(source: string, folder: string, staging: string): Promise<Pins> {
  if (isFolder(source)) return { integrity: copied(source, folder) };
  const repository = existsSync(source) ? undefined : gitSource(source);
  if (!repository) return { integrity: await packed(source, staging) };
  const commit = await checkOut(repository, folder, join(staging, 'repository'));
  return { commit, integrity: filesIntegrity(folder) };
}

const isFolder = (source: string): boolean => existsSync(source) && statSync(source).isDirectory();

function copied(source: string, folder: string): string {
  cpSync(resolve(source), folder, { recursive: true, dereference: true });
  return filesIntegrity(folder);
}

async function packed(source: string, staging: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', staging, '--', source];
  const { stdout } = await run('npm', args).catch((error: unknown) => {
    throw new InvalidInputError(`${source} is no folder, and npm does not find it`, { cause: error });
  });
  const [pack] = packedSchema.parse(JSON.parse(stdout));
  if (!pack) throw new InvalidInputError(`npm packed nothing of ${source}`);
  await run('tar', ['-xzf', join(staging, pack.filename), '-C', staging]);
  return pack.integrity;
}

const dependenciesSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()).default({}) });

/** What it needs besides the SDK, into its own folder. */
async function installPackages(folder: string): Promise<void> {
  const file = join(folder, 'package.json');
  if (!existsSync(file) || existsSync(join(folder, 'node_modules'))) return;
  const { dependencies } = dependenciesSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (Object.keys(dependencies).length === 0) return;
  const args = ['install', '--omit=dev', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', args, { cwd: folder });
}

/** A process that looks in between finds the old one or none, never half of one. */
function place(directory: string, id: string, folder: string): void {
  const home = join(directory, id);
  const old = join(directory, `.old-${id}`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(home)) renameSync(home, old);
  renameSync(folder, home);
  rmSync(old, { recursive: true, force: true });
}
