import { z } from 'zod';
import { inboundEventSchema } from '#contracts';

const attachmentSchema = z.object({
  url: z.string(),
  type: z.enum(['image', 'audio', 'video', 'file']).default('file'),
  mime: z.string().optional(),
  size: z.number().optional(),
  name: z.string().optional(),
});

/** What an event may say about where it comes from beside the rest; passed on as it is. */
export const webhookPlaceSchema = inboundEventSchema.pick({
  guild: true,
  team: true,
  roles: true,
  parent: true,
  title: true,
  quoted: true,
  fromSelf: true,
  senderUsername: true,
});

/** What a sender posts. Unknown fields are ignored; a `type` other than `message` is acknowledged and ignored. */
export const webhookMessageSchema = z.object({
  type: z.literal('message'),
  /** Unique per account. Without it a repeated post cannot be told from a second message. */
  id: z.string().min(1).optional(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  conversation: z.object({ id: z.string().min(1), type: z.enum(['direct', 'group', 'channel']) }),
  thread: z.string().nullish(),
  replyTo: z.string().nullish(),
  sender: z.object({ id: z.string().min(1), name: z.string().nullish(), isBot: z.boolean().default(false) }),
  text: z.string(),
  mentionsBot: z.boolean().default(false),
  attachments: z.array(attachmentSchema).default([]),
  ...webhookPlaceSchema.shape,
});

export const webhookTypeSchema = z.object({ type: z.string() });
