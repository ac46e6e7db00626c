import { openaiResponsesWire } from '../../../test/fakes/wires/openai-responses-wire.js';
import { KEY } from '../../../test/fakes/hostile-model-server.js';
import { modelContract } from '../../../test/model-contract.js';
import { OpenAiResponsesProvider } from './responses-provider.js';

modelContract('openai responses', {
  wire: openaiResponsesWire,
  provider: (options) => new OpenAiResponsesProvider({ apiKey: KEY, ...options }),
});
