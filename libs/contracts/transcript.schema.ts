import { z } from 'zod';
import { chatMessageSchema } from './chat-message.schema.js';
import { conversationSchema } from './client-request.schema.js';
import { shownParkSchema } from './park.schema.js';
import { spentSchema, usageSchema } from './usage.schema.js';

/** Every accepted message reaches exactly one of these ends (G3). `parked` is none: a later record of the same turn replaces it. */
export const turnOutcomeSchema = z.enum(['answered', 'recorded', 'command', 'cancelled', 'failed', 'dropped', 'dead', 'parked']);
export type TurnOutcome = z.infer<typeof turnOutcomeSchema>;

/** A message that ended in a turn. */
export const turnInputSchema = z.object({ id: z.string(), seq: z.number(), sender: z.string(), at: z.number() });

/** One element of a session's transcript: one committed turn. */
const turnRecordSchema = z.object({
  v: z.literal(1),
  turn: z.string(),
  outcome: turnOutcomeSchema,
  /** The messages that ended here, oldest first: id and accept sequence. */
  inputs: z.array(turnInputSchema),
  /** What the client said had been said before the turn: it goes ahead of `messages`. */
  conversation: conversationSchema.optional(),
  messages: z.array(chatMessageSchema),
  /**
   * Where it was said, as later turns look messages up to answer, edit or delete them: `seen` are the platform ids of what
   * came in, `rows` is the sequence number of the last thing that left. Absent where neither is.
   */
  place: z.object({ conversation: z.string(), seen: z.array(z.string()), rows: z.number() }).optional(),
  /** The sum of `spent`. */
  usage: usageSchema.optional(),
  /** By model and tier. A parked turn has none: the record that replaces it has all. */
  spent: z.array(spentSchema).optional(),
  /** By provider, of those with several keys: under which one the session goes on (ModelProvider.account). */
  accounts: z.record(z.string(), z.string()).optional(),
  /** Stable reason code of a turn that was cancelled, failed or died. */
  reason: z.string().optional(),
  /** What a parked turn waits for. */
  park: shownParkSchema.optional(),
  /**
   * Made while this turn ran: the summary stands for every turn up to and including `upTo`, for whoever reads the
   * conversation on. Those turns stay in the transcript.
   */
  compaction: z.object({ summary: z.string(), upTo: z.string() }).optional(),
  /** Redis time of the commit, ms. */
  at: z.number(),
});
export type TurnInputRecord = z.infer<typeof turnInputSchema>;
export type TurnRecord = z.infer<typeof turnRecordSchema>;
