import 'reflect-metadata';
import { announceParts, closeParts, openParts, runApp } from '#host';
import { startIngress } from './start-ingress.js';

await runApp({ name: 'ingress' }, async (context) => {
  const parts = await openParts(context, 'ingress');
  const ingress = await startIngress(parts);
  context.logger.info({ url: ingress.url }, 'Listening');
  await announceParts(parts);
  return {
    async stop() {
      parts.ops.drain();
      await ingress.close();
      await closeParts(parts);
    },
  };
});
