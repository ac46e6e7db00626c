import { z } from 'zod';
import { thinkingLevelSchema } from '#contracts';
import { ms, nameSchema, ONE_DAY_MS } from './option-types.js';
import { toolPolicySchema } from './tool-policy.schema.js';

/** provider/model */
export const modelName = z.string().regex(/^[a-z0-9-]+\/\S+$/);

/** The same, or an alias of models.aliases; after loading always the former. */
export const modelReference = z.string().regex(/^[a-z0-9-]+(?:\/\S+)?$/);

const contextSchema = z.strictObject({
  reserveTokens: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(20_000)
    .describe('Kept free for the answer; at most a quarter of the window'),
  keepRecentTurns: z.int().min(0).max(100).default(3).describe('Turns that compaction and pruning leave as they are'),
  compactTimeoutMs: ms(1000, 3_600_000).default(60_000).describe('The turn goes on without a summary that takes longer, ms'),
});

export const agentSchema = z.strictObject({
  model: modelReference
    .optional()
    .describe('provider/model or alias; default: the model of the first provider that is configured, else scripted/demo'),
  fallbacks: z
    .array(modelReference)
    .max(16)
    .default([])
    .describe('provider/model or alias of those that answer, in this order, when the model cannot'),
  utilityModel: modelReference
    .optional()
    .describe("provider/model or alias for routine work: summaries, and turns that a hook gives it; default: the agent's model"),
  systemPrompt: z
    .string()
    .max(100_000)
    .default('You are a helpful assistant. You talk to people in their chats: be brief and kind.'),
  thinking: thinkingLevelSchema
    .optional()
    .describe('How much the model thinks, unless /think says otherwise; default: as the model likes'),
  typing: z.boolean().default(true).describe('Show that an answer is being made, where the channel can'),
  narration: z.boolean().default(true).describe('Send the text the model writes beside its tool calls'),
  maxSteps: z.int().min(1).max(1000).default(30).describe('Model answers of one turn'),
  maxTurnMs: ms(1000, ONE_DAY_MS).default(600_000).describe('Length of one turn, ms'),
  maxTurnTokens: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Tokens of one turn, in and out, as the provider counts them; 0 = unlimited'),
  maxTurnCost: z.number().min(0).max(1_000_000).default(0).describe('Cost of one turn by models.prices; 0 = unlimited'),
  maxHistoryTurns: z.int().min(0).max(10_000).default(50).describe('Earlier turns the model sees'),
  context: contextSchema.prefault({}),
  tools: toolPolicySchema.prefault({}),
});

export const agentsSchema = z.record(nameSchema, agentSchema).prefault({});
