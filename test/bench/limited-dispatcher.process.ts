import { runApp } from '#host';
import { startDispatcher } from '../../apps/dispatcher/index.js';
import { benchContext } from './bench-config.js';
import { BenchProcess } from './bench-process.js';
import { recordingAccount } from './recording-account.js';

/** Three rates on every send, as in a group of Telegram, that hold nothing up. */
const rates = ({ conversation: key }: { conversation: string }) =>
  ['bot', 'chat', 'group'].map((scope) => ({ scope, key: scope === 'bot' ? '' : key, count: 1000, perMs: 1 }));

const bench = new BenchProcess();
await runApp({ name: 'bench-dispatcher' }, async (context) => {
  const { outbound, ...account } = recordingAccount(bench);
  const app = await startDispatcher(benchContext(context), [{ ...account, outbound: { ...outbound, rates } }]);
  bench.serve();
  return app;
});
