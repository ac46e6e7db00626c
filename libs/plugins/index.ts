export { planPlugins, pluginProblems, type PlannedPlugin, type PluginPlan, type PluginSettings } from './plan-plugins.js';
export { PluginHost } from './plugin-host.js';
export { RedisPluginStorage } from './plugin-storage.js';
export type { PluginCall } from './plugin-scope.js';
export type { PluginServices } from './plugin-services.js';
