#!/usr/bin/env node
// @ts-check
// npm start: everything in one process, data in ./data. Arguments go to apps/standalone.
import { adminToken } from './setup/admin-token.mjs';
import { runServer } from './setup/child.mjs';
import { inCheckout } from './setup/paths.mjs';
import { prepareBuilt } from './setup/prepare.mjs';
import { findRedis } from './setup/redis.mjs';
import { entry } from './setup/say.mjs';

await entry(async () => {
  await prepareBuilt();
  const redis = await findRedis(inCheckout('data', 'redis'));
  try {
    const app = inCheckout('dist', 'apps', 'standalone', 'main.js');
    return await runServer([app, ...process.argv.slice(2)], { ...process.env, ...redis.env, ...adminToken(inCheckout('data', 'admin-token')) });
  } finally {
    await redis.stop();
  }
});
