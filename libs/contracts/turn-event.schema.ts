import { z } from 'zod';
import { buttonSchema, deliveryModeSchema, outboundMediaSchema, outboxActionSchema } from './outbox.schema.js';
import { shownParkSchema } from './park.schema.js';
import { turnOutcomeSchema } from './transcript.schema.js';
import { usageSchema } from './usage.schema.js';

/**
 * What a watcher of a session sees, in its event stream (protocol 5). `fence` orders attempts of one turn: a reader
 * drops events of a lower fence, and starts a step's text again when the fence rises.
 */
export const turnEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('turn.start'), turn: z.string(), fence: z.string(), messages: z.array(z.string()) }),
  /** More messages that this turn answers. */
  z.object({ type: z.literal('turn.joined'), turn: z.string(), fence: z.string(), messages: z.array(z.string()) }),
  z.object({
    type: z.literal('text.delta'),
    turn: z.string(),
    fence: z.string(),
    step: z.number(),
    offset: z.number(),
    text: z.string(),
  }),
  /** The model is writing the arguments of a call; whatever comes next of the turn takes its place. */
  z.object({ type: z.literal('tool.draft'), turn: z.string(), fence: z.string(), step: z.number(), name: z.string() }),
  z.object({ type: z.literal('tool.start'), turn: z.string(), fence: z.string(), call: z.string(), name: z.string() }),
  z.object({
    type: z.literal('tool.end'),
    turn: z.string(),
    fence: z.string(),
    call: z.string(),
    name: z.string(),
    isError: z.boolean(),
  }),
  /** Written by the commit itself, so it comes exactly once; a parked turn ends again once it has gone on. `rows` are the messages the turn sends, all of them. */
  z.object({
    type: z.literal('turn.end'),
    turn: z.string(),
    outcome: turnOutcomeSchema,
    reason: z.string().optional(),
    /** What a parked turn waits for. */
    park: shownParkSchema.optional(),
    /** Of all the model's answers in the turn. */
    usage: usageSchema.optional(),
    messages: z.array(z.string()),
    rows: z.array(z.string()),
    text: z.string(),
  }),
  /** A delivery to a web client: written once per row id. */
  z.object({
    type: z.literal('message'),
    id: z.string(),
    turn: z.string(),
    text: z.string(),
    replyTo: z.string().optional(),
    media: z.array(outboundMediaSchema).optional(),
    buttons: z.array(buttonSchema).optional(),
    deliveryMode: deliveryModeSchema,
    sequenceInTurn: z.number(),
    deliveredAt: z.number(),
  }),
  /** A message shown before is changed, deleted or reacted to; `id` is the row that does it. Written once per row id. */
  z.object({
    type: z.literal('message.changed'),
    id: z.string(),
    turn: z.string(),
    action: outboxActionSchema,
    /** After an edit. */
    text: z.string(),
    media: z.array(outboundMediaSchema).optional(),
    buttons: z.array(buttonSchema).optional(),
    deliveryMode: deliveryModeSchema,
    sequenceInTurn: z.number(),
    deliveredAt: z.number(),
  }),
]);
export type TurnEvent = z.infer<typeof turnEventSchema>;
