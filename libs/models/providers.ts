import type { ModelProvider } from '#agent';
import { AnthropicProvider } from './anthropic/anthropic-provider.js';
import { GoogleProvider } from './google/google-provider.js';
import { OllamaProvider } from './ollama/ollama-provider.js';
import { OpenAiChatProvider, type ChatQuirks } from './openai/chat-provider.js';
import { OpenAiResponsesProvider } from './openai/responses-provider.js';
import type { AnswerTimes } from './wire/answer-watchdog.js';

/** What every API is told of its server. */
export interface ProviderSettings extends AnswerTimes {
  id: string;
  /** Local servers want none. */
  apiKey?: string;
  baseUrl?: string;
  maxOutputTokens?: number;
  /** Of `openai-responses`; default `http`. */
  transport?: 'http' | 'websocket' | undefined;
  /** Of servers that speak `openai-chat` with less than OpenAI takes. */
  quirks?: ChatQuirks;
}

/** Local servers want no key, most SDKs want some text. */
const KEYLESS = 'no-key-configured';

/** One way to make a provider for each API that is spoken (MO-1). */
const APIS = {
  'openai-chat': (settings) => new OpenAiChatProvider({ apiKey: KEYLESS, ...settings }),
  'openai-responses': (settings) => new OpenAiResponsesProvider({ apiKey: KEYLESS, ...settings }),
  anthropic: (settings) => new AnthropicProvider({ apiKey: KEYLESS, ...settings }),
  google: (settings) => new GoogleProvider({ apiKey: KEYLESS, ...settings }),
  ollama: (settings) => new OllamaProvider(settings),
} as const satisfies Record<string, (settings: ProviderSettings) => ModelProvider>;

export function modelProvider(api: keyof typeof APIS, settings: ProviderSettings): ModelProvider {
  return APIS[api](settings);
}
