import { z } from 'zod';
import { modelName, modelReference } from './agents.schema.js';
import { ms, secret } from './option-types.js';
import { MODEL_APIS } from './provider-presets.js';

const priceSchema = z.strictObject({
  inputPerMillion: z.number().min(0).max(1_000_000).describe('Of a million tokens the model reads'),
  outputPerMillion: z.number().min(0).max(1_000_000).describe('Of a million tokens the model writes, reasoning among them'),
  cacheReadPerMillion: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe("Of a million tokens read from the provider's cache; default: inputPerMillion"),
  cacheWritePerMillion: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Of a million tokens written there; default: inputPerMillion'),
});

const modelLimitsSchema = z.strictObject({
  requestsPerMinute: z.int().min(0).max(10_000_000).default(0).describe('Of all runners; 0 = as the provider says'),
  tokensPerMinute: z.int().min(0).max(10_000_000_000).default(0).describe('In and out, of all runners; 0 = as the provider says'),
});

/** Of each model under the provider's key. Live. */
const providerLimitsSchema = modelLimitsSchema.extend({
  models: z.record(z.string().min(1), modelLimitsSchema).default({}).describe("By the provider's own model name"),
});

const providerSchema = z.strictObject({
  api: z.enum(MODEL_APIS).optional().describe('How it is spoken to; known providers have theirs'),
  apiKey: secret(1, 'The API key; not needed by most local servers').optional(),
  apiKeys: z
    .array(secret(1, 'An API key'))
    .max(32)
    .default([])
    .describe('Further keys, each with limits of its own; sessions take them in turn, the least recently used first, and stay'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('The server; known providers have theirs'),
  model: z.string().min(1).optional().describe('For agents that name no model'),
  maxOutputTokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Of one answer; default: 8192 where the API wants to be told'),
  idleTimeoutMs: ms(1000, 3_600_000)
    .optional()
    .describe('A stream that is silent for this long is an error, ms; default: 300000 for local servers, else 120000'),
  totalTimeoutMs: ms(1000, 24 * 3_600_000)
    .optional()
    .describe('An answer that takes longer is an error, ms; default: none, the turn has a limit of its own'),
  transport: z
    .enum(['http', 'websocket'])
    .default('http')
    .describe('websocket: only with api openai-responses, a socket for each answer'),
  limits: providerLimitsSchema.prefault({}),
});

/** The part before the slash of a model's name. */
const providerId = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/)
  .describe('1 to 32 of a-z 0-9 -');

export const modelsSchema = z.strictObject({
  aliases: z
    .record(z.string().regex(/^[a-z0-9-]{1,64}$/), modelReference)
    .default({})
    .describe('Names for models, usable wherever a model is named'),
  /** By provider/model, in any one currency. */
  prices: z.record(modelName, priceSchema).default({}),
  windows: z
    .record(modelName, z.int().min(1024).max(10_000_000))
    .default({})
    .describe('Tokens a model takes in one request, by provider/model; default: by its name, else 32768'),
  inputs: z
    .record(modelName, z.array(z.enum(['text', 'image'])).min(1))
    .default({})
    .describe('What a model reads, by provider/model: text, or text and image; default: by its name, else text'),
  providers: z.record(providerId, providerSchema).prefault({}),
});
export type ProviderOptions = z.output<typeof providerSchema>;
