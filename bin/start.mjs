#!/usr/bin/env node
// @ts-check
// npm start: everything in one process, data in ./data. Arguments go to apps/standalone.
import { adminToken } from './setup/admin-token.mjs';
import { runServer } from './setup/child.mjs';
import { logDestination } from './setup/log-file.mjs';
import { inCheckout } from './setup/paths.mjs';
import { prepareBuilt } from './setup/prepare.mjs';
import { findRedis } from './setup/redis.mjs';
import { entry, say } from './setup/say.mjs';

await entry(async () => {
  await prepareBuilt();
  const redis = await findRedis(inCheckout('data', 'redis'));
  try {
    const log = logDestination(inCheckout('data', 'turnpike.log'));
    const app = [inCheckout('dist', 'apps', 'standalone', 'main.js'), ...process.argv.slice(2)];
    const env = { ...process.env, ...redis.env, ...adminToken(inCheckout('data', 'admin-token')) };
    const code = await runServer(app, env, log.stdout);
    if (code !== 0 && log.file) say(`ended with code ${code}; its last log lines are in ${log.file}`);
    return code;
  } finally {
    await redis.stop();
  }
});
