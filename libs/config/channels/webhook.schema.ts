import { z } from 'zod';
import { secret } from '../option-types.js';
import { accountOptions, platformUrl } from './account-options.js';

export const webhookAccountSchema = z.strictObject({
  secret: secret(16, 'Signs requests in both directions, at least 16 characters'),
  outboundUrl: platformUrl.optional().describe('Where replies are posted; without it they wait in the session'),
  immediateSend: z.boolean().default(true).describe('The receiver takes messages before the turn ends'),
  batch: z.boolean().default(false).describe('The messages of one turn may be merged into one'),
  dedupe: z.boolean().default(true).describe('The receiver drops a message whose Idempotency-Key it has seen'),
  actions: z
    .array(z.enum(['edit', 'delete', 'react']))
    .default([])
    .describe('What else than new messages the receiver understands: it would take another action for a message'),
  media: z
    .array(z.enum(['image', 'audio', 'video', 'file']))
    .default([])
    .describe('The kinds of media the receiver shows'),
  plainText: z.boolean().default(false).describe('Text without Markdown, for a receiver that shows it as it is'),
  maxTextLength: z.int().min(100).max(1_000_000).default(20_000).describe('UTF-16 units of one message'),
  ...accountOptions,
});
