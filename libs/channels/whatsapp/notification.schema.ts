import { z } from 'zod';

/**
 * The part of a Cloud API notification that is read; whatever else it carries is ignored (IN-2). One POST brings many
 * messages and statuses: each is judged alone, so that a strange one does not take its neighbours along.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components
 */
export const notificationSchema = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
});

export const valueSchema = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: z.array(z.unknown()).default([]),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
});

export const contactSchema = z.object({ wa_id: z.string(), profile: z.object({ name: z.string() }) });

const fileSchema = z.object({
  id: z.string(),
  mime_type: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
});

const choiceSchema = z.object({ id: z.string() });

export const messageSchema = z.object({
  /** The sender's number, which is also the conversation: the Cloud API has no other. */
  from: z.string(),
  /** wamid */
  id: z.string(),
  /** Seconds since the epoch. */
  timestamp: z.coerce.number(),
  type: z.string(),
  /** What it answers. */
  context: z.object({ id: z.string().optional() }).optional(),
  text: z.object({ body: z.string() }).optional(),
  image: fileSchema.optional(),
  sticker: fileSchema.optional(),
  audio: fileSchema.optional(),
  video: fileSchema.optional(),
  document: fileSchema.optional(),
  interactive: z.object({ button_reply: choiceSchema.optional(), list_reply: choiceSchema.optional() }).optional(),
  /** A quick reply of a template. */
  button: z.object({ payload: z.string() }).optional(),
  /** No emoji: the reaction was taken back. */
  reaction: z.object({ message_id: z.string(), emoji: z.string().optional() }).optional(),
  location: z
    .object({ latitude: z.number(), longitude: z.number(), name: z.string().optional(), address: z.string().optional() })
    .optional(),
});
export type WhatsAppMessage = z.infer<typeof messageSchema>;

export const statusSchema = z.object({
  /** wamid of what was sent. */
  id: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: z.coerce.number(),
  recipient_id: z.string(),
  /** What `send` put in. */
  biz_opaque_callback_data: z.string().optional(),
  errors: z
    .array(
      z.object({
        code: z.number(),
        title: z.string().optional(),
        error_data: z.object({ details: z.string().optional() }).optional(),
      }),
    )
    .optional(),
});
export type WhatsAppStatus = z.infer<typeof statusSchema>;
