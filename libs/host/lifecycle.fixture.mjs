import { runApp } from '../../dist/libs/host/lifecycle.js';

/** A process to send signals to; its first argument says how it behaves. */
const behaviour = process.argv[2];

await runApp({ name: 'fixture' }, async ({ logger }) => {
  const alive = setInterval(() => undefined, 1000);
  if (behaviour === 'start-fails') throw new Error('no port');
  if (behaviour === 'start-hangs') await new Promise(() => logger.info('Hanging'));
  if (behaviour === 'rejects') void Promise.reject(new Error('nobody caught this'));
  if (behaviour === 'loses-connection') void Promise.reject(new Error('Connection is closed.'));
  return {
    async stop(force) {
      if (behaviour === 'never-stops') await new Promise(() => undefined);
      if (behaviour === 'waits-for-force') await new Promise((resolve) => force.addEventListener('abort', resolve));
      clearInterval(alive);
      logger.info('Closed');
    },
  };
});
