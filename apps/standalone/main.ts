import 'reflect-metadata';
import { announceParts, closeParts, LaneUpkeepModule, openParts, runApp } from '#host';
import { DispatcherModule } from '../dispatcher/index.js';
import { startIngress } from '../ingress/index.js';
import { RunnerModule } from '../runner/index.js';
import { explainTakenPort } from './taken-port.js';
import { welcome } from './welcome.js';

// Words for people go to stderr; stdout holds log lines only.
await runApp({ name: 'standalone', standalone: true }, async (context) => {
  const parts = await openParts(context, 'standalone');
  const modules = [LaneUpkeepModule, RunnerModule.forRoot(), DispatcherModule.forRoot()];
  const ingress = await startIngress(parts, modules).catch(explainTakenPort('PORT'));
  await announceParts(parts).catch(explainTakenPort('OPS_PORT'));
  // A person's terminal may show their token; the log of a service may not.
  if (!parts.source.current.production) process.stderr.write(welcome(ingress.url, parts.source.current));
  return {
    async stop() {
      parts.ops.drain();
      await ingress.close();
      await closeParts(parts);
    },
  };
});
