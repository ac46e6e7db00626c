import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FoundPlugin } from './discover-plugins.js';

const HERE = dirname(import.meta.dirname);

/** Plugins run on what was built, also where this file runs from source. */
function built(...path: string[]): string {
  const file = [join(HERE, '..'), join(HERE, '..', 'dist')]
    .map((root) => join(root, 'libs', ...path))
    .find((candidate) => existsSync(candidate));
  return pathToFileURL(file ?? join(HERE, ...path)).href;
}

const OPENCLAW = built('plugins', 'openclaw', 'sdk.js');

/** What a plugin may import of us, whatever node_modules it lives in. */
const PROVIDED: Readonly<Record<string, string>> = {
  'turnpike/plugin-sdk': built('plugin-sdk', 'index.js'),
  'openclaw/plugin-sdk': OPENCLAW,
  'openclaw/plugin-sdk/core': OPENCLAW,
  'openclaw/plugin-sdk/plugin-entry': OPENCLAW,
  'openclaw/plugin-sdk/tool-plugin': OPENCLAW,
  'openclaw/plugin-sdk/tool-results': OPENCLAW,
};

/** The folder of what plugins run on. */
const BUILT = new URL('../', built('plugin-sdk', 'index.js')).href;

/** What was built imports what was built, whatever the process runs from. */
function ofBuilt<C extends { conditions: string[] }>(context: C): C {
  return { ...context, conditions: context.conditions.filter((condition) => condition !== 'turnpike-source') };
}

/** Where a plugin does not bring it itself. */
const FALLBACK: Readonly<Record<string, string>> = {
  typebox: import.meta.resolve('typebox'),
  '@sinclair/typebox': import.meta.resolve('typebox'),
};

/** Our own code: the folder with libs, apps and plugins. */
const OURS = dirname(HERE) + sep;

let plugins: readonly Pick<FoundPlugin, 'root' | 'manifest'>[] = [];
let hooked = false;

/**
 * From now on a module of one of these plugins may import the SDK, its own files, its own packages and Node, and nothing
 * else: not Turnpike's insides, not another plugin, nothing outside its folder (TO-2).
 */
export function keepBoundaries(found: readonly Pick<FoundPlugin, 'root' | 'manifest'>[]): void {
  plugins = found;
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith('#') && context.parentURL?.startsWith(BUILT)) return next(specifier, ofBuilt(context));
      const owner = ownerOf(context.parentURL);
      if (!owner) return next(specifier, context);
      const provided = Object.hasOwn(PROVIDED, specifier) ? PROVIDED[specifier] : undefined;
      if (provided) return { url: provided, shortCircuit: true };
      const resolved = resolveFor(owner, specifier, () => next(specifier, context));
      mustBelong(owner, specifier, resolved.url);
      return resolved;
    },
  });
}

function resolveFor<R extends { url: string }>(
  owner: Owner,
  specifier: string,
  next: () => R,
): R | { url: string; shortCircuit: true } {
  if (specifier.startsWith('turnpike/') || specifier.startsWith('openclaw/'))
    throw refused(owner, specifier, 'Turnpike does not provide it');
  try {
    return next();
  } catch (error) {
    const fallback = Object.hasOwn(FALLBACK, specifier) ? FALLBACK[specifier] : undefined;
    if (fallback) return { url: fallback, shortCircuit: true };
    throw error;
  }
}

type Owner = (typeof plugins)[number];

/** The plugin whose own code a module is; packages that it brings count as its own. */
function ownerOf(url: string | undefined): Owner | undefined {
  if (!url?.startsWith('file:')) return undefined;
  const path = fileURLToPath(url);
  return plugins.find(({ root }) => path.startsWith(root + sep));
}

function mustBelong(owner: Owner, specifier: string, url: string): void {
  if (!url.startsWith('file:')) return;
  const path = fileURLToPath(url);
  if (path.startsWith(owner.root + sep)) return;
  const isPackage = path.includes(`${sep}node_modules${sep}`) && !specifier.startsWith('.') && !specifier.startsWith('/');
  if (isPackage && !ownerOf(url)) return;
  const where = path.startsWith(OURS) ? 'that is inside Turnpike' : 'that is outside of its folder';
  throw refused(owner, specifier, where);
}

function refused({ manifest: { id } }: Owner, specifier: string, why: string): Error {
  return new Error(
    `The plugin ${id} may not import "${specifier}": ${why}. Plugins import turnpike/plugin-sdk, their own files and packages, and Node.`,
  );
}
