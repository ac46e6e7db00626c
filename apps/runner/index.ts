export { RunnerModule } from './runner.module.js';
export { startRunner } from './start-runner.js';
