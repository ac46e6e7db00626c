import { runApp } from '#host';
import { startDispatcher } from '../../apps/dispatcher/index.js';
import { benchContext } from './bench-config.js';
import { BenchProcess } from './bench-process.js';
import { recordingAccount } from './recording-account.js';

const bench = new BenchProcess();
await runApp({ name: 'bench-dispatcher' }, async (context) => {
  const app = await startDispatcher(benchContext(context), [recordingAccount(bench)]);
  bench.serve();
  return app;
});
