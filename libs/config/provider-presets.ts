/** The model APIs that are spoken. */
export const MODEL_APIS = ['openai-chat', 'openai-responses', 'anthropic', 'google', 'ollama'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** Where a server that speaks a known API takes less than that API. */
export interface ProviderQuirks {
  /** Ids of calls are exactly nine of [A-Za-z0-9]. */
  nineCharacterCallIds?: true;
}

export interface ProviderPreset {
  api: ModelApi;
  /** Absent: the SDK's own default. */
  baseUrl?: string;
  /** For agents that name none. */
  model?: string;
  /** Needs no key. */
  isLocal?: true;
  quirks?: ProviderQuirks;
}

const compatible = (baseUrl: string): ProviderPreset => ({ api: 'openai-chat', baseUrl });
const local = (api: ModelApi, port: number, path = ''): ProviderPreset => ({
  api,
  baseUrl: `http://127.0.0.1:${port}${path}`,
  isLocal: true,
});

/** Providers whose name says how they are spoken to, in the order in which a default model is looked for. Addresses are from their documentation. */
export const PROVIDER_PRESETS: Readonly<Record<string, ProviderPreset>> = {
  openai: { api: 'openai-chat', model: 'gpt-5-mini' },
  anthropic: { api: 'anthropic', model: 'claude-haiku-4-5' },
  google: { api: 'google', model: 'gemini-2.5-flash' },
  deepseek: compatible('https://api.deepseek.com'),
  fireworks: compatible('https://api.fireworks.ai/inference/v1'),
  groq: compatible('https://api.groq.com/openai/v1'),
  mistral: { ...compatible('https://api.mistral.ai/v1'), quirks: { nineCharacterCallIds: true } },
  moonshot: compatible('https://api.moonshot.ai/v1'),
  openrouter: compatible('https://openrouter.ai/api/v1'),
  qwen: compatible('https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
  together: compatible('https://api.together.xyz/v1'),
  xai: compatible('https://api.x.ai/v1'),
  ollama: local('ollama', 11434),
  lmstudio: local('openai-chat', 1234, '/v1'),
  vllm: local('openai-chat', 8000, '/v1'),
};
