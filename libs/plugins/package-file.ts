import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const entries = z.looseObject({
  extensions: z.array(z.string()).optional(),
  /** OpenClaw packages name their compiled entry here, and their source in `extensions`. */
  runtimeExtensions: z.array(z.string()).optional(),
  setupEntry: z.string().optional(),
});
const packageSchema = z.looseObject({
  version: z.string().optional(),
  main: z.string().optional(),
  exports: z.unknown().optional(),
  turnpike: entries.optional(),
  openclaw: entries.optional(),
});

const NAMES = ['index.js', 'index.mjs', 'dist/index.js', 'index.ts'];

export interface PackageFacts {
  version: string | undefined;
  /** The module that is imported when the plugin is loaded. */
  entry: string | undefined;
  /** The module of its setup. */
  setupEntry: string | undefined;
}

/** The version and the modules of a plugin's folder, by its package.json, if it has one. Runs nothing. */
export function readPackage(root: string): PackageFacts {
  const file = join(root, 'package.json');
  const text: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const { version, main, exports, turnpike, openclaw } = packageSchema.parse(text);
  const named = [...namedBy(turnpike), ...namedBy(openclaw), defaultExport(exports), main];
  const entry = [...named, ...NAMES].flatMap((name) => name ?? []).find((name) => existsSync(join(root, name)));
  // OpenClaw's has another shape.
  const setup = turnpike?.setupEntry;
  return { version, entry: entry && join(root, entry), setupEntry: setup && join(root, setup) };
}

function namedBy(by: z.output<typeof entries> | undefined): string[] {
  return [...(by?.runtimeExtensions ?? []), ...(by?.extensions ?? [])];
}

const exportsSchema = z.union([z.string(), z.looseObject({ default: z.string().optional(), import: z.string().optional() })]);

function defaultExport(exports: unknown): string | undefined {
  const dot = z.looseObject({ '.': exportsSchema }).safeParse(exports);
  const found = dot.success ? dot.data['.'] : exportsSchema.safeParse(exports).data;
  return typeof found === 'string' ? found : (found?.import ?? found?.default);
}
