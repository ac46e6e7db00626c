import { runApp } from '#host';
import { startRunner } from '../../apps/runner/index.js';
import { armCheckpoints } from './arm-checkpoints.js';
import { judgedTools } from './judged-tools.js';
import { reportingHooks } from './reporting-hooks.js';

armCheckpoints();
const extras = { tools: judgedTools(process.env.TEST_JUDGE ?? ''), hooks: reportingHooks() };
await runApp({ name: 'runner' }, (context) => startRunner(context, extras));
