import type { Tool } from '#agent';
import { runApp } from '#host';
import { startRunner } from '../../apps/runner/index.js';
import { armCheckpoints } from './arm-checkpoints.js';
import { judgedTools } from './judged-tools.js';

/** Its code never gives the event loop back while it runs. */
const block: Tool = {
  name: 'block_tool',
  description: 'Blocks the event loop of its runner for TEST_BLOCK_MS.',
  parameters: { type: 'object', properties: {} },
  effect: 'once',
  async execute() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.TEST_BLOCK_MS));
    return { text: 'unblocked', isError: false };
  },
};

armCheckpoints();
await runApp({ name: 'runner' }, (context) =>
  startRunner(context, { tools: [block, ...judgedTools(process.env.TEST_JUDGE ?? '')] }),
);
