import { z } from 'zod';
import type { SendOutcome } from '../channel-port.js';
import { answerJson, type HttpAnswer } from '../delivery-outcome.js';

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes: go by the code; titles and subcodes are deprecated. */
const answerSchema = z.union([
  z.object({ messages: z.tuple([z.object({ id: z.string() })]) }),
  z.object({
    error: z.object({
      code: z.number(),
      message: z.string().default(''),
      error_data: z.object({ details: z.string().optional() }).optional(),
    }),
  }),
]);

/** More than 24 hours since the person last wrote: only a template may go out. */
export const WINDOW_CLOSED = 131047;

/** WhatsApp says nothing about how long to wait (no Retry-After): these floors are ours, the delivery backs off above them. */
const LIMITS: ReadonlyMap<number, { scope: 'number' | 'pair'; retryAfterMs: number }> = new Map([
  // (Business, consumer) pair: one message in 6 seconds.
  [131056, { scope: 'pair', retryAfterMs: 6_000 }],
  // Throughput of the number.
  [130429, { scope: 'number', retryAfterMs: 1_000 }],
  // Calls of the app and of the business account are counted by the hour.
  [4, { scope: 'number', retryAfterMs: 30_000 }],
  [80007, { scope: 'number', retryAfterMs: 30_000 }],
]);

/** Something went wrong, service unavailable, server busy, account in maintenance. */
const FAILED_FOR_NOW = new Set([2, 131000, 131016, 131057, 133004]);
/** The token is missing, expired, or lacks whatsapp_business_messaging. */
const UNAUTHORIZED = new Set([0, 10, 190]);

export interface GraphAnswer {
  outcome: SendOutcome;
  /** Of the API's error. */
  code?: number;
}

/**
 * What the Graph API's answer to a send means. An error of the API says that nothing was sent; what a gateway answers, or
 * code 1 ("unknown") with a 5xx, says nothing at all.
 */
export function readGraphAnswer(answer: HttpAnswer): GraphAnswer {
  const said = answerJson(answer, answerSchema);
  if (said && 'messages' in said) return { outcome: { kind: 'sent', platformId: said.messages[0].id } };
  if (!said) return { outcome: bareOutcome(answer.status) };
  const { code, message, error_data: more } = said.error;
  return { code, outcome: outcomeOf(code, answer.status, `${code} ${more?.details ?? message}`) };
}

function outcomeOf(code: number, status: number, reason: string): SendOutcome {
  const limit = LIMITS.get(code);
  if (limit) return { kind: 'retry', reason, ...limit };
  if (FAILED_FOR_NOW.has(code)) return { kind: 'retry', reason };
  if (UNAUTHORIZED.has(code) || status === 401) {
    return { kind: 'refused', reason: `${code} unauthorized: the access token is not valid, or may not send for this number` };
  }
  return { kind: code === 1 && status >= 500 ? 'unknown' : 'refused', reason };
}

function bareOutcome(status: number): SendOutcome {
  const reason = `${status} without a Graph API answer`;
  if (status === 429 || status === 503) return { kind: 'retry', reason };
  return { kind: status >= 300 && status < 500 ? 'refused' : 'unknown', reason };
}
