import { z } from 'zod';
import type { Clock } from '#kernel';
import type { SendOutcome } from '../channel-port.js';
import { answerJson, post, retryAfterMs, type HttpAnswer } from '../delivery-outcome.js';
import type { TimeBudget } from '../time-budget.js';

interface SlackApiOptions {
  apiRoot: string;
  botToken: string;
  clock: Clock;
}

type Failure = Exclude<SendOutcome, { kind: 'sent' }>;

/** `error`: Slack's own word for why not, where it gave one. */
export type Called<T> = { ok: true; value: T } | { ok: false; error: string | undefined; outcome: Failure };

/** A method, what it takes (a form for those that take no JSON), and what it answers. */
export interface SlackCall<T> {
  method: string;
  args: Record<string, unknown> | URLSearchParams;
  answer: z.ZodType<T>;
}

const verdictSchema = z.object({ ok: z.boolean(), error: z.string().optional() });

/** Slack says itself that some of the work may have been done before it failed. */
const AMBIGUOUS = new Set(['internal_error', 'fatal_error']);
/** Not done, and only for now. `request_timeout`: the body came broken off. */
const TRANSIENT = new Set(['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout', 'team_added_to_org']);

/**
 * Calls of the Web API for one bot. A thin client and not @slack/web-api: that one keeps a queue and a clock of its own
 * between `send` and the wire, and does not tell a request that never left from one that got no answer.
 */
export class SlackApi {
  constructor(private readonly options: SlackApiOptions) {}

  async call<T>({ method, args, answer: schema }: SlackCall<T>, budget: TimeBudget, signal: AbortSignal): Promise<Called<T>> {
    const { apiRoot, botToken } = this.options;
    const isForm = args instanceof URLSearchParams;
    const headers = {
      authorization: `Bearer ${botToken}`,
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8',
    };
    const url = new URL(`${apiRoot.replace(/\/+$/, '')}/${method}`);
    const body = isForm ? args.toString() : JSON.stringify(args);
    const answer = await post({ url, headers, body }, { timeoutMs: budget.left() }, signal);
    if (answer.kind !== 'answer') return { ok: false, error: undefined, outcome: answer };
    const value = answer.status === 200 ? answerJson(answer, schema) : undefined;
    return value === undefined ? this.failed(answer) : { ok: true, value };
  }

  /** Errors come with status 200 and a name; a bare status is that of a gateway, which knows less. */
  private failed(answer: HttpAnswer): Extract<Called<never>, { ok: false }> {
    const { status } = answer;
    const error = answerJson(answer, verdictSchema)?.error;
    const reason = error ?? `${status} without a Web API answer`;
    if (status === 429 || (error !== undefined && TRANSIENT.has(error)) || (error === undefined && status === 503)) {
      const floor = retryAfterMs(answer.headers, this.options.clock.now());
      return { ok: false, error, outcome: { kind: 'retry', reason, ...(floor !== undefined && { retryAfterMs: floor }) } };
    }
    const isProven = error === undefined ? status >= 300 && status < 500 : !AMBIGUOUS.has(error);
    return { ok: false, error, outcome: { kind: isProven ? 'refused' : 'unknown', reason } };
  }
}
