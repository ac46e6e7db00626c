import { z } from 'zod';

/** Provider-neutral conversation (MO-4). Providers adapt it on the way out; nothing provider-specific is stored. */

export const toolCallSchema = z.object({
  /** Unique within a turn; also the idempotency key of the call. */
  id: z.string(),
  name: z.string(),
  /** The arguments exactly as the model wrote them: JSON text, possibly malformed. */
  arguments: z.string(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

const userMessageSchema = z.object({ role: z.literal('user'), text: z.string() });
const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  text: z.string(),
  toolCalls: z.array(toolCallSchema),
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
