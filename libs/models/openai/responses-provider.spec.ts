import { openaiResponsesWire } from '../../../test/fakes/wires/openai-responses-wire.js';
import { KEY, modelContract } from '../../../test/model-contract.js';
import { OpenAiResponsesProvider } from './responses-provider.js';

modelContract('openai responses', {
  wire: openaiResponsesWire,
  provider: (options) => new OpenAiResponsesProvider({ apiKey: KEY, ...options }),
});
