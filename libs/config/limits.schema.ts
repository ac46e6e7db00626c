import { z } from 'zod';
import { nameSchema } from './option-types.js';

const concurrency = z.int().min(0).max(1_000_000).describe('Turns that run at once; 0 = unlimited');
const turnsPerSecond = z.number().min(0).max(1_000_000).describe('Turns that start in a second; 0 = unlimited');
const weight = z.int().min(1).max(1000).describe('Share of turns beside other tenants that wait');

const scope = z.strictObject({ concurrency: concurrency.default(0), turnsPerSecond: turnsPerSecond.default(0) });

const tenantSchema = z.strictObject({
  concurrency: concurrency.optional(),
  turnsPerSecond: turnsPerSecond.optional(),
  weight: weight.optional(),
  agents: z
    .record(nameSchema, z.strictObject({ concurrency: concurrency.optional(), turnsPerSecond: turnsPerSecond.optional() }))
    .default({}),
});

/** What may run at once and start in a second, over all runners, enforced in Redis. The operator's, not a tenant's. Live. */
export const limitsSchema = z.strictObject({
  fleet: scope.prefault({}),
  /** Of each tenant that says nothing else under `tenants`. */
  tenant: scope.extend({ weight: weight.default(1) }).prefault({}),
  /** Of each agent of each tenant that says nothing else. */
  agent: scope.prefault({}),
  tenants: z.record(nameSchema, tenantSchema).default({}),
});
