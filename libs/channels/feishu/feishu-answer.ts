import { z } from 'zod';
import type { SendOutcome } from '../channel-port.js';
import { answerJson, retryAfterMs, type HttpAnswer } from '../delivery-outcome.js';

/** The envelope of every answer; `code` 0 is success. */
const answerSchema = z.object({ code: z.number(), msg: z.string().default(''), data: z.unknown().optional() });

/** Of the whole app: per API, 50 in a second or 1000 in a minute; and the message service of a company. */
const APP_LIMITS = new Set([99991400, 11232]);
/** Of one chat or person: 5 in a second. */
const CHAT_LIMIT = 230020;
const CHAT_LIMIT_MS = 1_000;
/** The access token is missing, expired or revoked: another one may do. */
const TOKEN_CODES = new Set([99991661, 99991663, 99991664, 99991668]);
/** Recalled or deleted already. */
const GONE = new Set([230011, 230110]);
/** A parameter or a card that Feishu cannot read; or a message of another kind, for a card is patched and a text is put. */
const UNREAD = new Set([230001, 230054, 230099]);

export type FeishuAnswer =
  | { kind: 'ok'; data: unknown }
  | { kind: 'error'; outcome: Exclude<SendOutcome, { kind: 'sent' }>; about?: 'token' | 'gone' | 'unread' };

/** What Feishu's answer to a call means. An answer with a code says that nothing was done; a bare 5xx says nothing at all. */
export function readAnswer(answer: HttpAnswer, now: number): FeishuAnswer {
  const said = answerJson(answer, answerSchema);
  if (said?.code === 0) return { kind: 'ok', data: said.data };
  const { status } = answer;
  if (said) {
    const about = aboutOf(said.code);
    return { kind: 'error', outcome: outcomeOf(said.code, said.msg, answer, now), ...(about && { about }) };
  }
  const reason = `${status} without an answer of the API`;
  if (status === 429) return { kind: 'error', outcome: { kind: 'retry', reason, scope: 'app', ...floorOf(answer, now) } };
  if (status === 503) return { kind: 'error', outcome: { kind: 'retry', reason } };
  return { kind: 'error', outcome: { kind: status >= 300 && status < 500 ? 'refused' : 'unknown', reason } };
}

function outcomeOf(code: number, msg: string, answer: HttpAnswer, now: number): Exclude<SendOutcome, { kind: 'sent' }> {
  const reason = `${code} ${msg}`;
  if (code === CHAT_LIMIT) return { kind: 'retry', reason, scope: 'chat', retryAfterMs: CHAT_LIMIT_MS, ...floorOf(answer, now) };
  if (APP_LIMITS.has(code) || answer.status === 429) return { kind: 'retry', reason, scope: 'app', ...floorOf(answer, now) };
  if (answer.status >= 500) return { kind: 'retry', reason };
  return { kind: 'refused', reason };
}

function aboutOf(code: number): 'token' | 'gone' | 'unread' | undefined {
  if (TOKEN_CODES.has(code)) return 'token';
  if (GONE.has(code)) return 'gone';
  return UNREAD.has(code) ? 'unread' : undefined;
}

/** https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control: seconds until the limit is lifted. */
function floorOf({ headers }: HttpAnswer, now: number): { retryAfterMs?: number } {
  const reset = Number(headers.get('x-ogw-ratelimit-reset') ?? Number.NaN);
  const ms = Number.isFinite(reset) && reset >= 0 ? Math.ceil(reset * 1000) : retryAfterMs(headers, now);
  return ms === undefined ? {} : { retryAfterMs: ms };
}
