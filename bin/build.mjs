#!/usr/bin/env node
// @ts-check
import { prepareBuilt } from './setup/prepare.mjs';
import { entry, say } from './setup/say.mjs';

await entry(async () => {
  await prepareBuilt();
  say('dist is up to date');
  return 0;
});
