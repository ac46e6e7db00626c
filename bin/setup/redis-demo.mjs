// @ts-check
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HOW_TO_GET_REDIS, stopProcess } from './redis-process.mjs';
import { SetupError, shout } from './say.mjs';

/** The last rung: a Redis written in JavaScript, about ten times slower and in memory. */
export async function startDemoRedis() {
  const child = fork(fileURLToPath(new URL('./redis-demo-server.mjs', import.meta.url)), { detached: true });
  const port = await /** @type {Promise<unknown>} */ (
    new Promise((resolve) => {
      child.once('message', resolve);
      child.once('exit', () => resolve(undefined));
    })
  );
  if (typeof port !== 'number')
    throw new SetupError(`No Redis was found, and the demo one could not be started. ${HOW_TO_GET_REDIS}`);
  shout(
    'DEMO ONLY, NOTHING IS KEPT: no redis-server was found, so this runs on a slow Redis in memory.',
    'Everything is lost when it stops. To keep conversations:',
    '  apt-get install redis-server   |   brew install redis',
    '  docker run -p 6379:6379 redis, then REDIS_URL=redis://127.0.0.1:6379 npm start',
  );
  return { port, stop: () => stopProcess(child) };
}
