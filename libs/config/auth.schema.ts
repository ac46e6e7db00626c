import { z } from 'zod';
import { nameSchema, secret } from './option-types.js';

const tokenSchema = z.strictObject({
  name: nameSchema,
  token: secret(16, 'The bearer token, at least 16 characters'),
  tenant: nameSchema.default('default'),
  session: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The only session it may use when the request names none; default: its name'),
  pairing: z.boolean().default(false).describe('May see and approve those who ask to write to its tenant'),
  admin: z.boolean().default(false).describe('May use every session of every tenant, and the queue board'),
  board: z
    .enum(['viewer', 'operator'])
    .optional()
    .describe('May look at the queue board, of all tenants; an operator may also send dead letters again. Admins are operators'),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional().describe('Of this token; default: auth.requestsPerMinute'),
});

/** Who may call the API (IN-6). */
export const authSchema = z.strictObject({
  adminToken: secret(16, 'At least 16 characters, for example from `openssl rand -hex 32`').optional(),
  tokens: z.array(tokenSchema).default([]),
  requestsPerMinute: z.int().min(1).max(1_000_000).default(600).describe('Of one token, over all replicas'),
  strangerRequestsPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(60)
    .describe('Of one address, without a known token or signature, over all replicas'),
});
export type ApiToken = z.output<typeof tokenSchema>;
