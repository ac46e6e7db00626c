import { z } from 'zod';

/**
 * The part of Feishu's events (schema 2.0) that is read; whatever else they carry is ignored (IN-2).
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/overview
 */

export const sealedSchema = z.object({ encrypt: z.string().min(1) });

export const challengeSchema = z.object({ type: z.literal('url_verification'), challenge: z.string(), token: z.string() });

export const eventSchema = z.object({
  schema: z.literal('2.0'),
  header: z.object({
    event_id: z.string().min(1),
    event_type: z.string(),
    /** ms since the epoch */
    create_time: z.coerce.number(),
    token: z.string().default(''),
    app_id: z.string(),
  }),
  event: z.unknown(),
});
export type FeishuEvent = z.infer<typeof eventSchema>;

/** A person under this app; `user_id` comes only with a permission of its own. */
const personSchema = z.object({ open_id: z.string().min(1) });

const mentionSchema = z.object({
  /** What stands for it in the text: `@_user_1`. */
  key: z.string(),
  id: z.object({ open_id: z.string().optional() }),
  name: z.string(),
  /** `bot` or `user`; older events have none. */
  mentioned_type: z.string().optional(),
});
export type FeishuMention = z.infer<typeof mentionSchema>;

export const messageEventSchema = z.object({
  sender: z.object({ sender_id: personSchema, sender_type: z.string() }),
  message: z.object({
    message_id: z.string().min(1),
    create_time: z.coerce.number(),
    chat_id: z.string(),
    /** p2p, group, topic_group */
    chat_type: z.string(),
    message_type: z.string(),
    /** JSON, by message_type. */
    content: z.string(),
    /** The message it answers. Inside a topic this is always the topic's first one. */
    parent_id: z.string().optional(),
    /** The topic. */
    thread_id: z.string().optional(),
    mentions: z.array(mentionSchema).default([]),
  }),
});
export type FeishuMessage = z.infer<typeof messageEventSchema>['message'];

export const cardActionSchema = z.object({
  operator: personSchema,
  action: z.object({ value: z.unknown() }),
  context: z.object({ open_message_id: z.string(), open_chat_id: z.string() }),
});
