import { z } from 'zod';
import { thoughtSchema, toolCallSchema } from './chat-message.schema.js';
import { envelopeSchema } from './envelope.schema.js';
import { deliveryModeSchema, sendExtrasSchema } from './outbox.schema.js';
import { parkDecisionSchema, parkSchema } from './park.schema.js';
import { turnInputSchema } from './transcript.schema.js';
import { spentSchema } from './usage.schema.js';
import { dropPolicySchema } from './queue-mode.schema.js';

/** What was paid since the entry that said it last; what an `answer` itself cost comes last (MO-5). */
const spent = z.array(spentSchema).optional();

/**
 * One step of a running turn, in the order it was taken (TU-1). Replayed by the next claim after a crash:
 * what is here never happens again. An `answer` that carries tool calls is also the plan of those calls.
 */
const journalEntrySchema = z.discriminatedUnion('k', [
  /** `drop`: too many messages waited, and this turn ends these unanswered (QU-2). */
  z.object({ k: z.literal('open'), turn: z.string(), ids: z.array(z.string()), drop: dropPolicySchema.optional() }),
  /** Its place among the entries is its place in the conversation: behind what the answer before it had started. */
  z.object({ k: z.literal('joined'), ids: z.array(z.string()) }),
  z.object({
    k: z.literal('answer'),
    step: z.number(),
    text: z.string(),
    toolCalls: z.array(toolCallSchema),
    reasoning: z.array(thoughtSchema).optional(),
    /** provider/model that answered, where it may be another one than was asked (MO-3). */
    model: z.string().optional(),
    spent,
  }),
  /** `arguments`: what a hook made of the call's, as JSON; run with these again, without asking (TU-3). */
  z.object({ k: z.literal('started'), call: z.string(), arguments: z.string().optional() }),
  z.object({ k: z.literal('finished'), call: z.string(), text: z.string(), isError: z.boolean() }),
  /** `key` names what asked for the send (a tool call id, or `text:<step>`), so that asking twice sends once. */
  z.object({
    k: z.literal('send'),
    n: z.number(),
    key: z.string(),
    mode: deliveryModeSchema,
    text: z.string(),
    fellBack: z.boolean(),
    at: z.number(),
    ...sendExtrasSchema.shape,
  }),
  /** `summary` stands for every turn up to and including `upTo` (CX-2). The turn's record carries it on. */
  /** A value of the session as JSON, '' = removed; it counts for later turns once this one is answered. */
  z.object({ k: z.literal('state'), key: z.string(), value: z.string() }),
  z.object({ k: z.literal('compacted'), summary: z.string(), upTo: z.string(), spent }),
  /** A message shows what is being written; the next one that the turn sends at once takes its place. Says nothing of what was done. */
  z.object({ k: z.literal('preview'), message: z.string() }),
  /** This turn began epoch `n` of the session, and does not again. */
  z.object({ k: z.literal('epoch'), n: z.number() }),
  /** Last entry of a journal that is laid aside. It carries what its messages were: they are acknowledged. */
  z.object({
    k: z.literal('parked'),
    /** Redis time, ms. */
    at: z.number(),
    timeoutMs: z.number(),
    code: z.string(),
    turn: z.string(),
    ...parkSchema.shape,
    envelopes: z.tuple([envelopeSchema], envelopeSchema),
    inputs: z.array(turnInputSchema),
  }),
  /** The journal was taken up again. `text`: a person's answer or reason; '' for none. */
  z.object({
    k: z.literal('resolved'),
    call: z.string(),
    kind: parkSchema.shape.kind,
    round: parkSchema.shape.round,
    decision: parkDecisionSchema,
    text: z.string(),
  }),
  /** `calls`: model calls that failed in this attempt (MO-3). */
  z.object({ k: z.literal('error'), code: z.string(), message: z.string(), calls: z.number().optional(), spent }),
]);
export type JournalEntry = z.infer<typeof journalEntrySchema>;
