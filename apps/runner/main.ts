import { runApp } from '#host';
import { startRunner } from './start-runner.js';

await runApp({ name: 'runner' }, (context) => startRunner(context));
