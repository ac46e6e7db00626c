#!/usr/bin/env node
// @ts-check
// npm test: unit and process tests on Redis servers that the run starts itself (test/redis-server.ts). Arguments go to vitest.
import { runInForeground } from './setup/child.mjs';
import { inCheckout } from './setup/paths.mjs';
import { prepareBuilt } from './setup/prepare.mjs';
import { entry } from './setup/say.mjs';

await entry(async () => {
  await prepareBuilt();
  return runInForeground([inCheckout('node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)]);
});
