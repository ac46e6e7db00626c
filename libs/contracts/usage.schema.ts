import { z } from 'zod';

/** Of one answer or several. What came from a cache, went into one, or was reasoning is part of the sums, not on top of them. */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  /** The provider did not count all of it: some is our estimate. */
  estimated: z.literal(true).optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What a model was asked for: the turn itself, or work beside it such as summaries (MO-6). */
const tierSchema = z.enum(['main', 'utility']);
export type Tier = z.infer<typeof tierSchema>;

/** What one model was paid for (MO-5). */
export const spentSchema = usageSchema.extend({
  /** provider/model that answered. */
  model: z.string(),
  tier: tierSchema,
  /** By models.prices when the turn ended, in their currency; absent: no price is known. */
  cost: z.number().optional(),
});
export type Spent = z.infer<typeof spentSchema>;

/** Of lines that have a price. */
export function costOf(spent: readonly Spent[]): number {
  return spent.reduce((sum, { cost = 0 }) => sum + cost, 0);
}

/** How cost is counted in Redis: whole numbers add up exactly. */
export function millionths(cost: number): number {
  return Math.round(cost * 1_000_000);
}
