import { z } from 'zod';

/**
 * Provider-neutral conversation (MO-4). Providers adapt it on the way out. What only one of them can read, the signatures of its
 * thoughts, lives in the journal of the running turn and goes back to that provider alone; transcripts have none of it.
 */

export const toolCallSchema = z.object({
  /** Unique within a turn; also the idempotency key of the call. */
  id: z.string(),
  name: z.string(),
  /** The arguments exactly as the model wrote them: JSON text, possibly malformed. */
  arguments: z.string(),
  /** Of the thoughts that led to it. */
  signature: z.object({ provider: z.string(), text: z.string() }).optional(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** A thought that its provider wants back, unchanged, while the turn goes on. */
export const thoughtSchema = z.object({
  provider: z.string(),
  /** The provider's own name of the model; no other one reads it. */
  model: z.string(),
  text: z.string(),
  signature: z.string(),
  /** The provider keeps the text to itself. */
  redacted: z.literal(true).optional(),
  /** The provider's own, where it wants that back too. */
  id: z.string().optional(),
  /** The key it was thought under (ModelProvider.account), where no other key may read it. */
  account: z.string().optional(),
});
export type Thought = z.infer<typeof thoughtSchema>;

/** An image somebody sent: where it is to be had, never what it holds. */
const imageSchema = z.object({
  channel: z.string(),
  account: z.string(),
  /** The platform's own reference, as in the media of an envelope. */
  ref: z.string(),
  mime: z.string().optional(),
});
export type ImageReference = z.infer<typeof imageSchema>;

const userMessageSchema = z.object({
  role: z.literal('user'),
  text: z.string(),
  /** In the order in which `text` names them. */
  images: z.array(imageSchema).optional(),
});
const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  text: z.string(),
  toolCalls: z.array(toolCallSchema),
  reasoning: z.array(thoughtSchema).optional(),
  /** Present when the turn was stopped in the middle of this answer (QU-3). */
  interrupted: z.literal(true).optional(),
});
const toolMessageSchema = z.object({
  role: z.literal('tool'),
  callId: z.string(),
  name: z.string(),
  text: z.string(),
  isError: z.boolean(),
});

export const chatMessageSchema = z.discriminatedUnion('role', [userMessageSchema, assistantMessageSchema, toolMessageSchema]);
export type UserMessage = z.infer<typeof userMessageSchema>;
export type AssistantMessage = z.infer<typeof assistantMessageSchema>;
export type ToolMessage = z.infer<typeof toolMessageSchema>;
export type ChatMessage = z.infer<typeof chatMessageSchema>;
