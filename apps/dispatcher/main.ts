import { runApp } from '#host';
import { startDispatcher } from './start-dispatcher.js';

await runApp({ name: 'dispatcher' }, (context) => startDispatcher(context));
