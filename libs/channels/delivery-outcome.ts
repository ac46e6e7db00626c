import { z } from 'zod';
import type { SendContext, SendOutcome } from './channel-port.js';
import { watchWrite } from './write-watch.js';

/** What a platform says in an answer is short; the rest is not read. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface HttpAnswer {
  kind: 'answer';
  status: number;
  headers: Headers;
  /** At most 64 KiB; empty when the answer broke off after its status. */
  body: string;
}

export interface PostRequest {
  url: URL;
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  /** A form brings its own content type. */
  body?: string | Uint8Array<ArrayBuffer> | FormData;
}

/**
 * Makes one request and sorts what the network did: `retry` when nothing was written, `unknown` when the request left and no
 * status came. Redirects are not followed: they would carry a secret or a signature to a host nobody configured.
 * Reasons hold codes only, never a URL. Used by every channel that sends by HTTP.
 */
export async function post(
  request: PostRequest,
  { timeoutMs }: Pick<SendContext, 'timeoutMs'>,
  signal: AbortSignal,
): Promise<HttpAnswer | Extract<SendOutcome, { kind: 'retry' | 'unknown' }>> {
  if (signal.aborted) return { kind: 'retry', reason: 'stopped before the request' };
  const { url, method = 'POST', headers, body = null } = request;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const watch = watchWrite();
  try {
    const response = await watch.run(() => fetch(url, { method, headers, body, redirect: 'manual', signal: deadline }));
    return { kind: 'answer', status: response.status, headers: response.headers, body: await readAnswer(response) };
  } catch (error) {
    const code = signal.aborted ? 'stopped' : failureCode(error);
    return watch.provenUnsent()
      ? { kind: 'retry', reason: `${code}; nothing was sent` }
      : { kind: 'unknown', reason: `${code}; the request may have arrived` };
  }
}

/**
 * `Retry-After` in ms: whole seconds or an HTTP date (RFC 9110 10.2.3); undefined when absent or neither.
 * @param now ms since the epoch
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The JSON of an answer as `schema` reads it; undefined when it is something else. */
export function answerJson<T>(answer: HttpAnswer, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(answer.body)).data;
  } catch {
    return undefined;
  }
}

async function readAnswer(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      length += part.length;
      if (length >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    return '';
  }
  return Buffer.concat(parts).toString('utf8', 0, MAX_ANSWER_BYTES);
}

const coded = z.object({ code: z.string() });
const caused = z.object({ cause: coded });

/** Node's own short code, `timeout`, or the error's name. Messages are left out: they may quote the URL, and with it a token. */
function failureCode(error: unknown): string {
  const code = caused.safeParse(error).data?.cause.code;
  if (code) return code;
  if (!(error instanceof Error)) return 'failed';
  return error.name === 'TimeoutError' ? 'timeout' : error.name;
}
