import { runApp } from '#host';
import { startDispatcher } from '../../apps/dispatcher/index.js';
import { armCheckpoints } from './arm-checkpoints.js';

armCheckpoints();
await runApp({ name: 'dispatcher' }, (context) => startDispatcher(context));
