import type { Config } from './config.schema.js';

/** Per minute, of one model under its provider's key; 0 = as the provider says. */
export interface ModelLimits {
  requestsPerMinute: number;
  tokensPerMinute: number;
}

const UNLIMITED: ModelLimits = { requestsPerMinute: 0, tokensPerMinute: 0 };

/** A model that is named with limits of its own has these and nothing of its provider's. */
export function modelLimits({ models }: Config, provider: string, model: string): ModelLimits {
  const limits = models.providers[provider]?.limits;
  return limits?.models[model] ?? limits ?? UNLIMITED;
}
