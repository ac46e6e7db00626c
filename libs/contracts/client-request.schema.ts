import { z } from 'zod';

/** What was said before, as the client tells it. */
export const conversationSchema = z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() }));
export type ClientConversation = z.infer<typeof conversationSchema>;

/** What a client that keeps its conversations itself sends along with a message (IN-9). As much its own words as the message. */
export const clientRequestSchema = z.object({
  /** How it wants this message answered; never instructions of the agent. */
  instructions: z.string().optional(),
  /** Only of a session that begins with this message. */
  conversation: conversationSchema.optional(),
  /** The session is forgotten so long after its last turn, ms. */
  keepMs: z.number().optional(),
});
