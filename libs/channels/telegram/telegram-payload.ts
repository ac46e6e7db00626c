import { z } from 'zod';

const buttonsSchema = z.array(z.object({ text: z.string(), data: z.string() })).default([]);

/** Text in both forms: Telegram's HTML, and plain for when it can't read that. */
const wordsSchema = z.object({ html: z.string(), text: z.string() });
export type Words = z.infer<typeof wordsSchema>;

const itemSchema = z.object({
  kind: z.enum(['photo', 'video', 'animation', 'audio', 'voice', 'document']),
  url: z.string(),
  caption: wordsSchema.optional(),
});
export type MediaItem = z.infer<typeof itemSchema>;

/** One request, without where it goes: what is stored with the receipt. `first`: of the row's chunks, the one that quotes. */
export const payloadSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('text'), words: wordsSchema, first: z.boolean(), buttons: buttonsSchema }),
  z.object({ do: z.literal('media'), items: z.array(itemSchema).min(1), first: z.boolean(), buttons: buttonsSchema }),
  z.object({
    do: z.literal('edit'),
    message: z.string(),
    words: wordsSchema,
    item: itemSchema.optional(),
    buttons: buttonsSchema,
  }),
  z.object({ do: z.literal('delete'), message: z.string() }),
  z.object({ do: z.literal('react'), message: z.string(), emoji: z.string().nullable() }),
  z.object({ do: z.literal('refuse'), reason: z.string() }),
]);
export type Payload = z.infer<typeof payloadSchema>;
