import { APIConnectionTimeoutError, APIError } from 'openai';
import { TerminalError, TransientError, type Clock } from '#kernel';

/** How servers say that a request is longer than the model's window; the code is OpenAI's own. */
const OVERFLOW_CODE = 'context_length_exceeded';
const OVERFLOW_WORDS =
  /context.?(?:length|window|size)|(?:input|prompt|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|maximum (?:prompt length|number of (?:input )?tokens)|reduce the length|input length (?:should be|.{0,20}exceeds)/i;
/** A request over a limit per minute is no overflow: it is told by its status. */
const NO_OVERFLOW = new Set([401, 403, 404, 408, 409, 429]);

/** Says whether a failed request is worth another try (MO-3). `redact` takes the key out of what a server echoes. */
export function toTurnpikeError(provider: string, cause: unknown, clock: Clock, redact: (text: string) => string): Error {
  const text = redact(chainOf(cause));
  const terminal = (code: string, what: string) => new TerminalError(code, `${provider} ${what}: ${text}`);
  const transient = (code: string, what: string) =>
    new TransientError(code, `${provider} ${what}: ${text}`, retryAfterMs(cause, clock));
  if (cause instanceof APIConnectionTimeoutError) return transient('timeout', 'did not answer in time');
  if (!(cause instanceof APIError)) return transient('network', 'broke off');
  if (cause.code === 'insufficient_quota' || cause.type === 'insufficient_quota' || cause.status === 402) {
    return terminal('billing', 'has no credit left for this key');
  }
  const { status } = cause;
  if (isOverflow(cause, text)) return terminal('context_overflow', 'finds the request longer than the window of this model');
  if (status === 401 || status === 403) return terminal('auth', 'refused the API key; set a valid one');
  if (status === 404)
    return terminal('model_not_found', 'does not know this model or path; check the model name and the base URL');
  if (status === 429) return transient('rate_limit', 'is rate limited');
  if (status === 408 || status === 409) return transient('timeout', 'asked to try again');
  if (status !== undefined && status >= 400 && status < 500) return terminal('format', 'refused the request');
  return status === undefined && !cause.error
    ? transient('network', 'could not be reached')
    : transient('server_error', 'failed');
}

function isOverflow({ code, status }: APIError, text: string): boolean {
  if (code === OVERFLOW_CODE || status === 413) return true;
  return !NO_OVERFLOW.has(status ?? 0) && OVERFLOW_WORDS.test(text);
}

/** The SDK says "Connection error." and keeps the reason two causes down. The causes themselves stay here: they are not redacted. */
function chainOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${chainOf(error.cause)}`;
}

/** RFC 9110 10.2.3: seconds or a date; `retry-after-ms` is OpenAI's own. */
function retryAfterMs(cause: unknown, clock: Clock): number | undefined {
  if (!(cause instanceof APIError)) return undefined;
  const ms = Number.parseFloat(cause.headers?.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const value = cause.headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - clock.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
