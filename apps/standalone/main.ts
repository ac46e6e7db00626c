import 'reflect-metadata';
import { announceParts, closeParts, LaneUpkeepModule, openParts, runApp } from '#host';
import { DispatcherModule } from '../dispatcher/index.js';
import { startIngress } from '../ingress/index.js';
import { RunnerModule } from '../runner/index.js';
import { welcome } from './welcome.js';

await runApp({ name: 'standalone', standalone: true }, async (context) => {
  const parts = await openParts(context, 'standalone');
  const ingress = await startIngress(parts, [LaneUpkeepModule, RunnerModule.forRoot(), DispatcherModule]);
  await announceParts(parts);
  process.stdout.write(welcome(ingress.url, parts.source.current));
  return {
    async stop() {
      parts.ops.drain();
      await ingress.close();
      await closeParts(parts);
    },
  };
});
