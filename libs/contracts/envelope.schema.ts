import { z } from 'zod';
import { queueModeSchema } from './queue-mode.schema.js';
import type { AgentId, MessageId, SessionKey, TenantId } from '#kernel';
import { clientRequestSchema } from './client-request.schema.js';
import { parkAnswerSchema } from './park.schema.js';
import { traceContextSchema } from './trace-context.schema.js';

/** Readers keep a newer version in the mailbox untouched until a process that knows it comes along (protocol 2, take). */
export const ENVELOPE_VERSION = 1;

const branded = <T>() => z.string().min(1) as unknown as z.ZodType<T>;

export const chatTypeSchema = z.enum(['direct', 'group', 'channel']);

/** Where a reply goes. */
export const targetSchema = z.object({
  channel: z.string(),
  account: z.string(),
  conversation: z.string(),
  thread: z.string().optional(),
  replyTo: z.string().optional(),
  /** Of the conversation, where it is known: some platforms do not say it again when a button is pressed. */
  chatType: chatTypeSchema.optional(),
});
export type Target = z.infer<typeof targetSchema>;

export const mediaTypeSchema = z.enum(['image', 'audio', 'video', 'file']);
export type MediaType = z.infer<typeof mediaTypeSchema>;

export const mediaSchema = z.object({
  type: mediaTypeSchema,
  /** The platform's own reference: a file id or a URL. Never fetched before a tool asks for it. */
  ref: z.string(),
  mime: z.string().optional(),
  size: z.number().optional(),
  name: z.string().optional(),
});
export type Media = z.infer<typeof mediaSchema>;

/** What stands beside a message: written by others, never an instruction (IN-8). The runner marks it for the model. */
const contextSchema = z.object({
  /** `title`: of the group. */
  kind: z.enum(['quote', 'title']),
  /** Who said it, as they call themselves. */
  from: z.string().optional(),
  text: z.string(),
});
export type MessageContext = z.infer<typeof contextSchema>;

/** What somebody said in the group, and not to the agent. */
const historySchema = z.object({ from: z.string(), text: z.string() });
export type MessageHistory = z.infer<typeof historySchema>;

/** interactive : automation : background are admitted 8 : 2 : 1 (QU-4). */
const workClassSchema = z.enum(['interactive', 'automation', 'background']);
export type WorkClass = z.infer<typeof workClassSchema>;

/** One normalised message, addressed to one session: what waits in a mailbox (IN-2). */
export const envelopeSchema = z.object({
  v: z.literal(ENVELOPE_VERSION),
  id: branded<MessageId>(),
  tenant: branded<TenantId>(),
  agent: branded<AgentId>(),
  session: branded<SessionKey>(),
  class: workClassSchema,
  /**
   * `record` is written to the transcript and starts no turn (an edit of a message already answered, a reaction). `command` is an ordered
   * command (RT-4): the runner executes it in its place, alone. `answer` takes a parked turn up again.
   */
  kind: z.enum(['message', 'record', 'command', 'answer']),
  command: z.object({ name: z.string(), args: z.string() }).optional(),
  /** For this message alone, whatever the mode of its session is (/steer). */
  queueMode: queueModeSchema.optional(),
  target: targetSchema,
  sender: z.object({ id: z.string(), name: z.string().nullable(), isBot: z.boolean() }),
  text: z.string(),
  media: z.array(mediaSchema),
  /** Since the last message that was for the agent, oldest first: the guard of accept puts it in. */
  history: z.array(historySchema).optional(),
  context: z.array(contextSchema).optional(),
  client: clientRequestSchema.optional(),
  platform: z.object({
    eventId: z.string(),
    messageId: z.string().nullable(),
    replyTo: z.string().nullable(),
    chatType: chatTypeSchema,
    mentionsBot: z.boolean(),
    edited: z.boolean(),
    /** Messages of one album share it. */
    album: z.string().optional(),
  }),
  /** The platform's time, ms since the epoch. Order comes from the accept sequence, never from this. */
  at: z.number(),
  /** Somebody watches this turn live: its events go to the session's event stream. */
  watched: z.boolean(),
  /** Which park of the session it ends, and how; `text` is what the person said. */
  answer: parkAnswerSchema.optional(),
  /** Where it came in. Absent: nobody traces. */
  trace: traceContextSchema.optional(),
});
export type Envelope = z.infer<typeof envelopeSchema>;
