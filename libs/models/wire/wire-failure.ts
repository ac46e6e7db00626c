import { TerminalError, TransientError, type Clock } from '#kernel';

/** What an SDK knows of a request that failed. */
export interface FailureFacts {
  /** Of the HTTP answer; undefined when none came, or when the error came inside the stream. */
  status: number | undefined;
  /** The provider's own words for the kind of error: `code` and `type`, whatever it has. */
  kinds: readonly (string | null | undefined)[];
  message: string;
  headers: Headers | undefined;
  /** No HTTP answer, and no error inside a stream either: the network's fault. */
  isNetwork: boolean;
}

/** How servers say that a request is longer than the model's window. */
const OVERFLOW_KINDS = new Set(['context_length_exceeded', 'model_context_window_exceeded', 'request_too_large']);
const OVERFLOW_WORDS =
  /context.?(?:length|window|size)|(?:input|prompt|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|maximum (?:prompt length|number of (?:input )?tokens)|reduce the length|input length (?:should be|.{0,20}exceeds)/i;
/** A request over a limit per minute is no overflow: it is told by its status. */
const NO_OVERFLOW = new Set([401, 403, 404, 408, 409, 429, 529]);

const BILLING_KINDS = new Set(['insufficient_quota', 'billing_error', 'billing_hard_limit_reached']);
const BILLING_WORDS = /credit balance|insufficient (?:credit|balance|funds|quota)|payment required/i;
const REVOKED_WORDS = /(?:key|account|organization) (?:has been |is |was )?(?:revoked|disabled|deactivated|suspended|deleted)/i;
const OVERLOADED_KINDS = new Set(['overloaded_error', 'overloaded', 'UNAVAILABLE']);
const BUSY_STATUS = new Set([408, 409, 499, 504, 522, 524]);
const KEY_KINDS = new Set([
  'authentication_error',
  'permission_error',
  'invalid_api_key',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
]);
const KEY_WORDS = /api key not valid|invalid api key/i;
const LIMIT_KINDS = new Set(['rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED']);

type Retriable = 'timeout' | 'rate_limit' | 'overloaded' | 'server_error' | 'network';
type Final = 'auth' | 'auth_permanent' | 'billing' | 'context_overflow' | 'model_not_found' | 'format';
export type FailureCode = Retriable | Final;

const SAYS: Record<FailureCode, string> = {
  timeout: 'did not answer in time',
  rate_limit: 'is rate limited',
  overloaded: 'is overloaded',
  server_error: 'failed',
  network: 'could not be reached, or broke off',
  auth: 'refused the API key; set a valid one',
  auth_permanent: 'has revoked this API key; set another one',
  billing: 'has no credit left for this key',
  context_overflow: 'finds the request longer than the window of this model',
  model_not_found: 'does not know this model or path; check the model name and the base URL',
  format: 'refused the request',
};
const FINAL: ReadonlySet<FailureCode> = new Set<Final>([
  'auth',
  'auth_permanent',
  'billing',
  'context_overflow',
  'model_not_found',
  'format',
]);

/**
 * Says whether a failed request is worth another try, and of which kind it is (MO-3): the same answer for every wire.
 * @param redact takes the key out of what a server echoes
 */
export function wireFailure(
  provider: string,
  facts: FailureFacts,
  clock: Clock,
  redact: (text: string) => string,
): TransientError | TerminalError {
  const code = codeOf(facts);
  const text = `${provider} ${SAYS[code]}: ${redact(facts.message)}`;
  return FINAL.has(code) ? new TerminalError(code, text) : new TransientError(code, text, retryAfterMs(facts.headers, clock));
}

function codeOf({ status, kinds, message, isNetwork }: FailureFacts): FailureCode {
  const is = (known: ReadonlySet<string>) => kinds.some((kind) => kind != null && known.has(kind));
  if (isNetwork) return 'network';
  if (is(BILLING_KINDS) || status === 402 || BILLING_WORDS.test(message)) return 'billing';
  if (is(OVERFLOW_KINDS) || status === 413 || (!NO_OVERFLOW.has(status ?? 0) && OVERFLOW_WORDS.test(message)))
    return 'context_overflow';
  if (status === 401 || status === 403 || is(KEY_KINDS) || KEY_WORDS.test(message))
    return REVOKED_WORDS.test(message) ? 'auth_permanent' : 'auth';
  if (status === 404) return 'model_not_found';
  if (status === 529 || is(OVERLOADED_KINDS)) return 'overloaded';
  if (status === 429 || is(LIMIT_KINDS)) return 'rate_limit';
  if (BUSY_STATUS.has(status ?? 0)) return 'timeout';
  return status !== undefined && status >= 400 && status < 500 ? 'format' : 'server_error';
}

/** RFC 9110 10.2.3: seconds or a date; `retry-after-ms` is OpenAI's own. */
function retryAfterMs(headers: Headers | undefined, clock: Clock): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - clock.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Every message in a chain of causes: SDKs keep the reason two causes down. */
export function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${messagesOf(error.cause)}`;
}
