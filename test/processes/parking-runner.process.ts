import { Hooks } from '#agent';
import { runApp } from '#host';
import { startRunner } from '../../apps/runner/index.js';
import { armCheckpoints } from './arm-checkpoints.js';
import { judgedTools } from './judged-tools.js';

armCheckpoints();
const hooks = new Hooks();
hooks.on('before_tool_call', ({ tool }) =>
  tool === 'once_tool' ? { approval: { title: 'Run the tool?' }, arguments: { value: 'as approved' } } : undefined,
);
const extras = { tools: judgedTools(process.env.TEST_JUDGE ?? ''), hooks };
await runApp({ name: 'runner' }, (context) => startRunner(context, extras));
