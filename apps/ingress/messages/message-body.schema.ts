import { z } from 'zod';

const attachmentSchema = z.strictObject({
  type: z.enum(['image', 'audio', 'video', 'file']),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  mime: z.string().max(255).optional(),
  name: z.string().max(255).optional(),
});

/** What a caller may say (IN-5). Strict: whatever names a session, a tenant or a sender is refused by name (T10). */
export const messageBodySchema = z.strictObject({
  message: z
    .string()
    .min(1, 'is empty; write 1 to 100000 characters')
    .max(100_000, 'is too long; at most 100000 characters')
    .refine((text) => !text.includes('\u0000'), 'holds a null byte; remove it')
    .refine((text) => text.isWellFormed(), 'holds half a surrogate pair; send valid Unicode'),
  attachments: z.array(attachmentSchema).max(20).default([]),
});
export type MessageBody = z.output<typeof messageBodySchema>;
