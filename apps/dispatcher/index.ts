export { DispatcherModule } from './dispatcher.module.js';
export { startDispatcher } from './start-dispatcher.js';
