import { runApp } from '#host';
import { startRunner } from '../../apps/runner/index.js';
import { armCheckpoints } from './arm-checkpoints.js';
import { judgedTools } from './judged-tools.js';

armCheckpoints();
await runApp({ name: 'runner' }, (context) => startRunner(context, { tools: judgedTools(process.env.TEST_JUDGE ?? '') }));
