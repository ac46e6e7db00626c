import { ollamaWire } from '../../../test/fakes/wires/ollama-wire.js';
import { KEY, modelContract } from '../../../test/model-contract.js';
import { OllamaProvider } from './ollama-provider.js';

modelContract('ollama', { wire: ollamaWire, provider: (options) => new OllamaProvider({ apiKey: KEY, ...options }) });
