import { runApp } from '#host';
import { startDispatcher } from '../../apps/dispatcher/index.js';
import { reportingHooks } from './reporting-hooks.js';

await runApp({ name: 'dispatcher' }, (context) => startDispatcher(context, [], reportingHooks()));
