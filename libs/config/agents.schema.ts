import { z } from 'zod';
import { ms, nameSchema, ONE_DAY_MS, secret } from './option-types.js';

export const agentSchema = z.strictObject({
  model: z
    .string()
    .regex(/^[a-z0-9-]+\/\S+$/)
    .optional()
    .describe('provider/model; default: openai/<models.providers.openai.model> where OpenAI is configured, else scripted/demo'),
  systemPrompt: z
    .string()
    .max(100_000)
    .default('You are a helpful assistant. You talk to people in their chats: be brief and kind.'),
  narration: z.boolean().default(true).describe('Send the text the model writes beside its tool calls'),
  maxSteps: z.int().min(1).max(1000).default(30).describe('Model answers of one turn'),
  maxTurnMs: ms(1000, ONE_DAY_MS).default(600_000).describe('Length of one turn, ms'),
  maxHistoryTurns: z.int().min(0).max(10_000).default(50).describe('Earlier turns the model sees'),
});

export const agentsSchema = z.record(nameSchema, agentSchema).prefault({});

export const modelsSchema = z.strictObject({
  providers: z
    .strictObject({
      openai: z
        .strictObject({
          apiKey: secret(1, 'The API key; not needed by most local servers').optional(),
          baseUrl: z
            .url({ protocol: /^https?$/ })
            .optional()
            .describe('Any OpenAI-compatible server; default: OpenAI itself'),
          model: z.string().min(1).default('gpt-5-mini').describe('For agents that name no model'),
          idleTimeoutMs: ms(1000, 3_600_000).default(60_000).describe('A stream that is silent for this long is an error, ms'),
        })
        .optional(),
      scripted: z.strictObject({}).prefault({}).describe('The offline demo model: nothing to set'),
    })
    .prefault({}),
});
