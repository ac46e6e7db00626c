import { z } from 'zod';
import { chatTypeSchema, mediaSchema } from './envelope.schema.js';

/** What a channel's `parse` makes of one platform event, before it is routed to a session. */
export const inboundEventSchema = z.object({
  channel: z.string(),
  account: z.string(),
  /** Of a `reaction`, `text` is its emoji ('': taken back) and `messageId` what it stands under. */
  kind: z.enum(['message', 'edit', 'callback', 'reaction', 'system']),
  /** Unique within channel + account + conversation + kind; with the edit's version it is the idempotency scope (IN-4, trap T7). */
  eventId: z.string(),
  /** Version of an edit (Telegram: edit_date); 0 for an original. */
  edit: z.number(),
  conversation: z.string(),
  chatType: chatTypeSchema,
  thread: z.string().nullable(),
  messageId: z.string().nullable(),
  sender: z.object({ id: z.string(), name: z.string().nullable(), isBot: z.boolean() }),
  text: z.string().nullable(),
  media: z.array(mediaSchema),
  replyTo: z.string().nullable(),
  mentionsBot: z.boolean(),
  /** Platform time in ms since the epoch; null when the event carries none (then the time of receipt is taken). */
  at: z.number().nullable(),
  startsTurn: z.boolean(),
  /** Events of one album share it. */
  groupKey: z.string().optional(),
  /** Ids that bindings match (RT-1): the server or workspace, its team, and the sender's roles there. */
  guild: z.string().optional(),
  team: z.string().optional(),
  roles: z.array(z.string()).optional(),
  /** The conversation that a thread belongs to. A topic that lives inside its chat names that chat. */
  parent: z.string().optional(),
  /** Of the group. Like every name and quote: whoever writes it is not to be trusted (IN-8). */
  title: z.string().optional(),
  /** What the message answers, as the platform repeats it; sender null when it does not say whose it was. */
  quoted: z.object({ sender: z.string().nullable(), text: z.string() }).optional(),
  /** This very account wrote it. */
  fromSelf: z.boolean().optional(),
  /** What only the answer to this very event may carry as `target.replyTo`, where the platform joins the two by it. */
  replyHandle: z.string().optional(),
  /** Without @. */
  senderUsername: z.string().optional(),
});
export type InboundEvent = z.infer<typeof inboundEventSchema>;
export type InboundKind = InboundEvent['kind'];
