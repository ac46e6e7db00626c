import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { raceSignal } from '#kernel';
import type { SetupContext, SetupFinding } from '#plugin-sdk';
import { keepBoundaries } from './module-boundary.js';
import type { PlannedPlugin } from './plan-plugins.js';
import { inPlugin } from './plugin-scope.js';

const CHECK_MS = 30_000;

type Check = (context: SetupContext<unknown>) => unknown;
const setupSchema = z.looseObject({
  id: z.string(),
  check: z.custom<Check>((value) => typeof value === 'function', 'check must be a function'),
});
const findingsSchema = z.array(z.object({ what: z.string(), ok: z.boolean(), hint: z.string().optional() }));

/**
 * Runs the setup module of a plugin, and nothing else of it. undefined: it has none. Throws what is wrong with that module; a check that
 * takes longer than 30 s is given up.
 */
export async function checkSetup(
  plugin: PlannedPlugin,
  accounts: SetupContext<unknown>['accounts'],
): Promise<SetupFinding[] | undefined> {
  const { manifest, setupEntry, config } = plugin;
  if (setupEntry === undefined) return undefined;
  keepBoundaries([plugin]);
  const signal = AbortSignal.timeout(CHECK_MS);
  const run = async (): Promise<unknown> => {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(setupEntry).href);
    const { id, check } = setupSchema.parse(z.looseObject({ default: z.unknown() }).parse(module).default);
    if (id !== manifest.id) throw new Error(`the code calls itself ${id}, the manifest ${manifest.id}`);
    return check({ config, accounts, signal });
  };
  return findingsSchema.parse(
    await raceSignal(
      inPlugin(manifest.id, undefined, async () => run()),
      signal,
    ),
  );
}
