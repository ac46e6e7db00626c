import { ollamaWire } from '../../../test/fakes/wires/ollama-wire.js';
import { KEY } from '../../../test/fakes/hostile-model-server.js';
import { modelContract } from '../../../test/model-contract.js';
import { OllamaProvider } from './ollama-provider.js';

modelContract('ollama', { wire: ollamaWire, provider: (options) => new OllamaProvider({ apiKey: KEY, ...options }) });
