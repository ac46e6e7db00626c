// @ts-check
import { startDemoRedis } from './redis-demo.mjs';
import { openDataFolder } from './redis-folder.mjs';
import { findRedisBinary } from './redis-process.mjs';
import { say } from './say.mjs';

/**
 * The ladder: the user's own Redis, else one started here on the data folder, else the demo in memory.
 * `env` is what the app needs to find it; `stop` ends only what was started here, after the app has drained.
 * @param {string} dataFolder
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>}
 */
export async function findRedis(dataFolder) {
  if (process.env.REDIS_URL || process.env.REDIS_URL_FILE) {
    say('using the Redis of REDIS_URL');
    return { env: {}, stop: async () => undefined };
  }
  const binary = findRedisBinary();
  const { port, stop } = binary ? await openDataFolder(binary, dataFolder) : await startDemoRedis();
  return { env: { REDIS_URL: `redis://127.0.0.1:${port}` }, stop };
}
