import { openaiChatWire } from '../../../test/fakes/wires/openai-chat-wire.js';
import { KEY, modelContract } from '../../../test/model-contract.js';
import { OpenAiChatProvider } from './chat-provider.js';

modelContract('openai chat', {
  wire: openaiChatWire,
  provider: (options) => new OpenAiChatProvider({ apiKey: KEY, ...options }),
});
