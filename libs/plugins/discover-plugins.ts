import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { describeError } from '#kernel';
import { filesIntegrity, readLock } from './install/plugin-lock.js';
import { MANIFEST_FILES, pluginManifestSchema, type PluginManifest } from './manifest.schema.js';
import { readPackage } from './package-file.js';

/** A plugin as its files describe it; nothing of it has run. */
export interface FoundPlugin {
  manifest: PluginManifest;
  version: string;
  /** Real path of its folder. */
  root: string;
  origin: 'bundled' | 'installed' | 'path' | 'package';
  /** The module that is imported when it is loaded; undefined: there is none. */
  entry: string | undefined;
  /** The module that `turnpike plugins check` runs; undefined: there is none. */
  setupEntry: string | undefined;
  /** Made for OpenClaw: it imports `openclaw/plugin-sdk/…`. */
  foreign: boolean;
}

export interface Discovery {
  /** By id. */
  plugins: ReadonlyMap<string, FoundPlugin>;
  /** Folders that cannot be used, and why. */
  problems: { path: string; message: string }[];
}

export interface PluginPlaces {
  directory: string;
  load: { paths: readonly string[]; packages: readonly string[] };
}

/** Beside libs, in the sources and in dist alike. */
const BUNDLED = join(import.meta.dirname, '../../plugins');

/**
 * Reads the manifests of every plugin there is: in the folders and packages that the configuration names, installed, and
 * those of Turnpike itself. Of two with one id the first of these counts, and the other is a problem.
 */
export function discoverPlugins({ directory, load }: PluginPlaces): Discovery {
  const plugins = new Map<string, FoundPlugin>();
  const problems: Discovery['problems'] = [];
  const add = (root: string, origin: FoundPlugin['origin']): void => {
    try {
      const found = readPlugin(root, origin);
      const { id } = found.manifest;
      const other = plugins.get(id);
      if (other?.root === found.root) return;
      if (other) problems.push({ path: root, message: `the plugin ${id} is already found in ${other.root}; remove one of them` });
      else plugins.set(id, found);
    } catch (error) {
      problems.push({ path: root, message: describeError(error) });
    }
  };
  for (const path of load.paths) {
    const roots = pluginFolders(path);
    if (roots.length === 0)
      problems.push({ path, message: `holds no plugin: no ${MANIFEST_FILES.join(' or ')} here or one folder below` });
    for (const root of roots) add(root, 'path');
  }
  for (const name of load.packages) {
    const root = packageFolder(name);
    if (root) add(root, 'package');
    else problems.push({ path: name, message: 'is not installed in node_modules here or above; run npm install' });
  }
  const { plugins: locked } = readLock(directory);
  for (const root of pluginFolders(directory)) {
    const { files } = locked[basename(root)] ?? {};
    if (files === undefined || files === filesIntegrity(root)) add(root, 'installed');
    else problems.push({ path: root, message: 'was changed since it was installed; install it again' });
  }
  for (const root of pluginFolders(BUNDLED)) add(root, 'bundled');
  return { plugins: new Map([...plugins].toSorted(([one], [other]) => (one < other ? -1 : 1))), problems };
}

/** Throws an Error that names the file and, within it, the path of what is wrong. */
export function readPlugin(folder: string, origin: FoundPlugin['origin']): FoundPlugin {
  const root = realpathSync(folder);
  const file = manifestIn(root);
  if (!file) throw new Error(`no ${MANIFEST_FILES.join(' or ')} in it`);
  const manifest = parseManifest(file);
  const { version, entry, setupEntry } = readPackage(root);
  const foreign = file.endsWith('openclaw.plugin.json');
  return { manifest, root, origin, entry, setupEntry, foreign, version: manifest.version ?? version ?? '0.0.0' };
}

function parseManifest(file: string): PluginManifest {
  const { data, error } = pluginManifestSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (data) return data;
  const lines = error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`);
  throw new Error(`${file}: ${lines.join('; ')}`);
}

/** The folder itself when it is a plugin, else those right below it that are. */
function pluginFolders(path: string): string[] {
  const folder = resolve(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  if (manifestIn(folder)) return [folder];
  // A dot: being installed, or on its way out.
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .map((name) => join(folder, name))
    .filter((child) => manifestIn(child));
}

function manifestIn(folder: string): string | undefined {
  return MANIFEST_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

function packageFolder(name: string): string | undefined {
  // Joined to a path: a name with dots would lead anywhere.
  if (
    !z
      .string()
      .regex(/^(@[\w.-]+\/)?[\w-][\w.-]*$/)
      .safeParse(name).success
  )
    return undefined;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return undefined;
  }
}
