import { z } from 'zod';
import { isBoundedPattern } from './mention-pattern.js';

const who = z
  .string()
  .min(1)
  .max(200)
  .describe('<sender id>, <channel>:<sender id> or username:<name>; a user name can be taken over by another person');

const mentionPatterns = z
  .array(
    z
      .string()
      .refine(isBoundedPattern)
      .describe(
        'A regular expression that cannot run for long: at most 200 characters and one * + or {n,m}, on one character or class; ' +
          'few | and ?; no groups that repeat, no lookaround, no references back. Case does not matter',
      ),
  )
  .max(20)
  .optional();

const ofGroups = {
  requireMention: z
    .boolean()
    .optional()
    .describe('Answer in groups only when mentioned; default true, at the generic webhook false'),
  mentionPatterns,
  historyLimit: z
    .int()
    .min(0)
    .max(200)
    .optional()
    .describe('Messages of a group that were not for the agent, shown to it with the next one that is; default 50, 0 = none'),
  bots: z.enum(['ignore', 'mention', 'allow']).optional().describe('What other bots write; default ignore'),
};

const groupSchema = z.strictObject({
  enabled: z.boolean().optional().describe('false: not heard, whatever the policy'),
  allowFrom: z.array(who).optional(),
  ...ofGroups,
});

/** Who is heard on an account, as far as it says so. */
export const accountAccessSchema = z.strictObject({
  dmPolicy: z
    .enum(['pairing', 'allowlist', 'open', 'disabled'])
    .optional()
    .describe('Who may write directly; default pairing, at the generic webhook open'),
  allowFrom: z.array(who).optional(),
  groupPolicy: z
    .enum(['allowlist', 'open', 'disabled'])
    .optional()
    .describe('Which groups are heard; default allowlist: those in groups, at the generic webhook open'),
  groups: z.record(z.string().min(1).max(200), groupSchema).optional(),
  groupAllowFrom: z.array(who).optional(),
  ...ofGroups,
});

/** The same for all accounts of a tenant, and who owns its agents (IN-8). */
export const accessSchema = accountAccessSchema.extend({
  owners: z
    .array(z.string().regex(/^[a-z]+:.{1,200}$/))
    .default([])
    .describe('<channel>:<sender id>'),
});
