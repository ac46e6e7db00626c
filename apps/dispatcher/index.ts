export { DispatcherModule } from './dispatcher.module.js';
