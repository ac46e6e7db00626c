import 'reflect-metadata';
import { closeParts, openParts, runApp } from '#host';
import { startIngress } from '../../apps/ingress/index.js';
import { benchContext } from './bench-config.js';
import { BenchProcess } from './bench-process.js';

const bench = new BenchProcess();
await runApp({ name: 'bench-ingress' }, async (context) => {
  const parts = await openParts(benchContext(context), 'ingress');
  const ingress = await startIngress(parts);
  bench.serve({ url: () => Promise.resolve(ingress.url) });
  return {
    async stop() {
      await ingress.close();
      await closeParts(parts);
    },
  };
});
