export { ModelRegistry } from './model-registry.js';
export { OpenAiProvider, type OpenAiOptions } from './openai/openai-provider.js';
export { ScriptedProvider } from './scripted/scripted-provider.js';
