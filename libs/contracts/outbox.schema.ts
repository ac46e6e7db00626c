import { z } from 'zod';
import { mediaTypeSchema, targetSchema } from './envelope.schema.js';
import { traceContextSchema } from './trace-context.schema.js';

/**
 * immediate and batched are the message tool's (TO-1); narration is text the model wrote beside tool calls;
 * final is its answer; notice is Turnpike's own word (stopped, failed).
 */
export const deliveryModeSchema = z.enum(['immediate', 'batched', 'narration', 'final', 'notice']);
export type DeliveryMode = z.infer<typeof deliveryModeSchema>;

/** Offers a reply: whoever presses it sends `data`, at most 64 bytes (what Telegram takes), as a message. */
export const buttonSchema = z.object({ text: z.string(), data: z.string() });
export type Button = z.infer<typeof buttonSchema>;

/**
 * What a row does instead of sending a new message. `message` is the platform's own id: receipts hold those of what was
 * sent, envelopes those of what came in. Doing one twice leaves the same as doing it once.
 */
export const outboxActionSchema = z.discriminatedUnion('do', [
  /** The row's text, buttons and media take the place of what the message was. */
  z.object({ do: z.literal('edit'), message: z.string() }),
  z.object({ do: z.literal('delete'), message: z.string() }),
  /** `emoji` null takes the agent's reaction back. */
  z.object({ do: z.literal('react'), message: z.string(), emoji: z.string().nullable() }),
]);
export type OutboxAction = z.infer<typeof outboxActionSchema>;

/** What goes out beside the text. Only an https address, which the platform fetches or the channel uploads. */
export const outboundMediaSchema = z.object({
  type: mediaTypeSchema,
  url: z.url({ protocol: /^https$/ }),
  mime: z.string().optional(),
  name: z.string().optional(),
  caption: z.string().optional(),
});
export type OutboundMedia = z.infer<typeof outboundMediaSchema>;

/** What a send may carry beside its text. */
export const sendExtrasSchema = z.object({
  action: outboxActionSchema.optional(),
  /** The platform's id of the message that is answered, instead of the target's own. */
  replyTo: z.string().optional(),
  media: z.array(outboundMediaSchema).optional(),
  buttons: z.array(buttonSchema).optional(),
});
export type SendExtras = z.infer<typeof sendExtrasSchema>;

/** What leaves a session: stored by a fenced step or commit, then relayed to the delivery lane (protocol 3). */
export const outboxRowSchema = z.object({
  v: z.literal(1),
  /** `<turn>-<n>`; `~r<k>` behind it for the k-th time it is sent again by hand. */
  id: z.string(),
  /** Sent again by hand: the id it first had. Platforms that know repeats know them by that one. */
  replayOf: z.string().optional(),
  tenant: z.string(),
  session: z.string(),
  turn: z.string(),
  /** sequenceInTurn, from 1: the order in which the agent emitted it. */
  n: z.number(),
  mode: deliveryModeSchema,
  fellBack: z.boolean(),
  target: targetSchema,
  /** Absent: a new message. */
  action: outboxActionSchema.optional(),
  /** The platform's id of the preview whose place the new message takes, if it is still there (OUT-3). */
  replaces: z.string().optional(),
  /** Markdown, as the model writes it; '' for a deletion, a reaction or bare media. */
  text: z.string(),
  media: z.array(outboundMediaSchema).optional(),
  /** Shown where the channel has them; the text says how to answer without. */
  buttons: z.array(buttonSchema).optional(),
  /** Redis time of the emission, ms. */
  at: z.number(),
  /** The process that waits for the receipt, if any. */
  notify: z.string().optional(),
  /** Where it was said. Absent: nobody traces. */
  trace: traceContextSchema.optional(),
});
export type OutboxRow = z.infer<typeof outboxRowSchema>;
