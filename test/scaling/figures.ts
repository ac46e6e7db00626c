import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CHECKOUT } from './checkout.js';

const perMessageSchema = z.strictObject({ runnerUs: z.number(), dispatcherUs: z.number(), redisUs: z.number() });

/** What one machine was seen to need, by `npm run simulate:scaling -- --measure`. CPU is µs of one core. */
const figuresSchema = z.strictObject({
  measuredOn: z.string(),
  machine: z.string(),
  loadAverage: z.number(),
  messages: z.number(),
  /** Of a POST /api/sessions/:key/messages. */
  ingressUs: z.number(),
  /** A session for each message. */
  alone: perMessageSchema,
  /** Ten messages of a session wait together. */
  together: perMessageSchema,
  /** From the start of the program until it has connected and works, ms: median of five. */
  startMs: z.strictObject({ ingress: z.number(), runner: z.number(), dispatcher: z.number() }),
  /** Of a session in Redis. */
  bytes: z.strictObject({
    /** One message waits. */
    waiting: z.number(),
    /** Stays: head and transcript after one turn. */
    idle: z.number(),
  }),
  /** What a message leaves for a while, by kind of key. */
  leftovers: z.array(z.strictObject({ kind: z.string(), bytes: z.number(), seconds: z.number() })),
});
export type Figures = z.infer<typeof figuresSchema>;

/** Redis CPU and memory that a thousand messages a second take, all of sessions of their own: the dearest case. */
export function redisPerThousand({ alone, leftovers }: Figures): { cores: number; gigabytes: number } {
  const bytes = leftovers.reduce((sum, kind) => sum + kind.bytes * kind.seconds, 0);
  return { cores: (alone.redisUs * 1_000) / 1e6, gigabytes: (bytes * 1_000) / 1e9 };
}

export const FIGURES_FILE = `${CHECKOUT}/test/scaling/figures.json`;

export function measuredFigures(): Figures {
  return figuresSchema.parse(JSON.parse(readFileSync(FIGURES_FILE, 'utf8')));
}
