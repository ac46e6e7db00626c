export { ModelRegistry } from './model-registry.js';
export { modelProvider } from './providers.js';
export { ScriptedProvider } from './scripted/scripted-provider.js';
export { nearestLevel } from './thinking-levels.js';
