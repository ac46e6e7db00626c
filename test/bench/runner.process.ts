import { runApp } from '#host';
import { startRunner } from '../../apps/runner/index.js';
import { benchContext } from './bench-config.js';
import { BenchProcess } from './bench-process.js';
import { echoModel } from './echo-model.js';
import { recordingAccount } from './recording-account.js';

const bench = new BenchProcess();
await runApp({ name: 'bench-runner' }, async (context) => {
  const app = await startRunner(benchContext(context), { providers: [echoModel(bench)], accounts: [recordingAccount(bench)] });
  bench.serve();
  return app;
});
