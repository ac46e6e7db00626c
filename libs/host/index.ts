export type { SteerHint } from './control-options.js';
export { ControlPublisher } from './control-publisher.js';
export { ControlSubscriber, type ControlSubscriberOptions } from './control-subscriber.js';
export { runApp, type AppContext, type AppOptions, type RunningApp } from './lifecycle.js';
export { OpsServer, type ReadinessCheck } from './ops-server.js';
export { CoreModule, LOGGER } from './core.module.js';
export { announceParts, closeParts, openParts, type AppParts } from './core.parts.js';
export { LaneUpkeepModule } from './core.upkeep.js';
export { conversationOf, Platform } from './core.platform.js';
