import { z } from 'zod';

/** What the command line reads of the answers of the HTTP API (docs/http-api.md); more fields may come. */

export const acceptedSchema = z.union([
  z.looseObject({ session: z.string(), messageId: z.string(), turnId: z.string(), sequence: z.number(), duplicate: z.boolean() }),
  /** A control command acts at once and gets no answer. */
  z.looseObject({ session: z.string(), command: z.string() }),
]);
export type AcceptedMessage = z.infer<typeof acceptedSchema>;

export const answeredSchema = z.looseObject({
  text: z.string(),
  /** Null while it is on its way; none at all when the answer is old. */
  messages: z.array(z.looseObject({ content: z.string().nullable() })),
});
export type AnsweredMessage = z.infer<typeof answeredSchema>;

export const problemSchema = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
});
