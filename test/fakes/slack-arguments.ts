import { z } from 'zod';

/** What methods of the Web API take, with Slack's own limits. */
const text = (max: number) => z.object({ type: z.enum(['mrkdwn', 'plain_text']), text: z.string().min(1).max(max) });
const buttonSchema = z.object({
  type: z.literal('button'),
  action_id: z.string().max(255),
  text: text(75),
  value: z.string().max(2000),
});
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('section'), expand: z.boolean().optional(), text: text(3000) }),
  z.object({ type: z.literal('actions'), elements: z.array(buttonSchema).min(1).max(25) }),
]);
export const messageSchema = z.object({
  channel: z.string().min(1),
  text: z.string(),
  thread_ts: z.string().optional(),
  blocks: z.array(blockSchema).max(50).default([]),
});
export const streamSchema = z.object({
  channel: z.string(),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
  recipient_user_id: z.string().optional(),
  recipient_team_id: z.string().optional(),
  markdown_text: z.string().max(12_000).optional(),
});
export const placedSchema = z.object({ channel: z.string(), ts: z.string() });
export const reactionSchema = z.object({ channel: z.string(), timestamp: z.string(), name: z.string().regex(/^[\w+'-]+$/) });
