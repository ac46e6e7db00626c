import { z } from 'zod';
import { accountAccessSchema } from '../access.schema.js';
import { nameSchema } from '../option-types.js';
import { toolPolicySchema } from '../tool-policy.schema.js';

/** An address of a platform, http or https. */
export const platformUrl = z.url({ protocol: /^https?$/ });

/** Of accounts whose channel can show an answer while it is written. */
export const streamingOption = {
  streaming: z
    .enum(['off', 'partial'])
    .default('off')
    .describe('Whether people see an answer while it is written: off = once it is whole, partial = as far as it is'),
};

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
