import { z } from 'zod';
import { accountAccessSchema } from '../access.schema.js';
import { nameSchema } from '../option-types.js';
import { toolPolicySchema } from '../tool-policy.schema.js';

/** An address of a platform, http or https. */
export const platformUrl = z.url({ protocol: /^https?$/ });

/** What every account of every channel may say. */
export const accountOptions = {
  tools: toolPolicySchema.prefault({}),
  agent: nameSchema.optional().describe('The agent that answers what no binding matches; default: defaultAgent'),
  access: accountAccessSchema.optional(),
  rates: z
    .record(z.string(), z.strictObject({ count: z.int().min(1).max(100_000), perMs: z.int().min(1).max(86_400_000) }))
    .optional()
    .describe('Other rates than the platform grants everybody, by scope (bot, chat, group ...): count sends in any perMs'),
};
