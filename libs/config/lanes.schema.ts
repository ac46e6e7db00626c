import { z } from 'zod';
import { ms, ONE_DAY_MS } from './option-types.js';
import { toolInvokeSchema, toolPolicy } from './tool-policy.schema.js';

const turnsSchema = z.strictObject({
  concurrency: z.int().min(1).max(10_000).default(50).describe('Turns one process runs at once'),
  budget: z.int().min(1).max(1000).default(20).describe('Messages of one session before others get their turn'),
});

const deliveriesSchema = z.strictObject({
  concurrency: z.int().min(1).max(10_000).default(50).describe('Conversations one process sends to at once'),
  maxAgeMs: ms(1000, 7 * ONE_DAY_MS)
    .default(3_600_000)
    .describe('Older messages are dead-lettered, not sent, ms'),
  maxTries: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('Failed tries of a message, before it is a dead letter; waits a platform asked for do not count'),
  deadLettersKeptMs: ms(60_000, 365 * ONE_DAY_MS)
    .default(30 * ONE_DAY_MS)
    .describe('How long a dead letter can be looked at and sent again, ms'),
  requestTimeoutMs: ms(100, 300_000).default(4000).describe('One request to a platform, ms; below half of lockMs'),
});

/** Mailboxes and activations (ARCHITECTURE.md, lanes). */
export const lanesSchema = z.strictObject({
  lockMs: ms(500, 600_000).default(10_000).describe('A process silent for this long loses its work to another, ms'),
  stalledCheckMs: ms(100, 300_000).default(2000).describe('How often lost work is looked for, ms; below lockMs'),
  sweepMs: ms(1000, 3_600_000).default(60_000).describe('How often forgotten work is looked for, ms'),
  crashesAllowed: z.int().min(1).max(100).default(4).describe('Process deaths a message may cause before it is a dead letter'),
  idempotencyTtlMs: ms(1000, 30 * ONE_DAY_MS)
    .default(ONE_DAY_MS)
    .describe('How long a repeated message is recognised, ms'),
  turns: turnsSchema.prefault({}),
  deliveries: deliveriesSchema.prefault({}),
});

/** Counts of tool calls in one turn (TU-4). */
const loopDetectionSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('Stop turns that go round in circles'),
  warnAt: z.int().min(2).max(30).default(10).describe('Calls without progress after which the model is told'),
  blockAt: z.int().min(2).max(30).default(20).describe('Calls without progress after which the next one does not run'),
  unknownToolAt: z.int().min(1).max(30).default(10).describe('Calls in a row of tools that do not exist'),
  breakerAt: z.int().min(2).max(1000).default(30).describe('Calls in a row that bring nothing new, whatever they are'),
});

export const toolsSchema = z.strictObject({
  ...toolPolicy,
  invoke: toolInvokeSchema.prefault({}),
  /** The message tool (TO-1). Live: a change counts from the next turn. */
  message: z
    .strictObject({
      defaultDeliveryMode: z
        .enum(['immediate', 'batched'])
        .default('immediate')
        .describe('What a send without `immediate` does; batched ones leave after all immediate ones'),
      fallbackToBatchOnError: z
        .boolean()
        .default(true)
        .describe('A send that provably did not leave joins the batch; false: the model gets the error'),
      receiptWaitMs: ms(0, 60_000).default(10_000).describe('How long a send waits for proof of delivery, ms'),
    })
    .prefault({}),
  loopDetection: loopDetectionSchema.prefault({}),
  /** Live: counts for what is asked from then on. */
  approval: z
    .strictObject({
      timeoutMs: ms(1000, 30 * ONE_DAY_MS)
        .default(ONE_DAY_MS)
        .describe('How long an approval or a question waits for a person; then it counts as refused or unanswered, ms'),
    })
    .prefault({}),
});
