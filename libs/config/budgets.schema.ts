import { z } from 'zod';

const tokensPerDay = z.int().min(0).max(1_000_000_000_000).default(0).describe('In and out; 0 = unlimited');
const costPerDay = z.number().min(0).max(1_000_000_000).default(0).describe('By models.prices; 0 = unlimited');
const budgetSchema = z.strictObject({ tokensPerDay, costPerDay }).prefault({});

/** What may be spent on a day (UTC). Whoever has spent it begins no further turn until the next one. Live. */
export const budgetsSchema = z.strictObject({
  /** All agents and sessions together. */
  tenant: budgetSchema,
  /** Each agent. */
  agent: budgetSchema,
  /** Each session. */
  session: budgetSchema,
});
