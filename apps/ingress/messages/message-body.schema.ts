import { z } from 'zod';

const attachmentSchema = z.strictObject({
  type: z.enum(['image', 'audio', 'video', 'file']),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  mime: z.string().max(255).optional(),
  name: z.string().max(255).optional(),
});

export const MOST_MESSAGE = 100_000;

/** Text that Redis, JSON and every model take. */
export const messageTextSchema = z
  .string()
  .max(MOST_MESSAGE, `is too long; at most ${MOST_MESSAGE} characters`)
  .refine((text) => !text.includes('\u0000'), 'holds a null byte; remove it')
  .refine((text) => text.isWellFormed(), 'holds half a surrogate pair; send valid Unicode');

/** What a caller may say (IN-5). Strict: whatever names a session, a tenant or a sender is refused by name (T10). */
export const messageBodySchema = z.strictObject({
  message: messageTextSchema.min(1, `is empty; write 1 to ${MOST_MESSAGE} characters`),
  attachments: z.array(attachmentSchema).max(20).default([]),
});
export type MessageBody = z.output<typeof messageBodySchema>;
