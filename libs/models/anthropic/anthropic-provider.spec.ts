import { KEY } from '../../../test/fakes/hostile-model-server.js';
import { modelContract } from '../../../test/model-contract.js';
import { anthropicWire } from '../../../test/fakes/wires/anthropic-wire.js';
import { AnthropicProvider } from './anthropic-provider.js';

modelContract('anthropic', {
  wire: anthropicWire,
  provider: (options) => new AnthropicProvider({ apiKey: KEY, ...options }),
});
