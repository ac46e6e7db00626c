import { z } from 'zod';
import type { Clock } from '#kernel';
import type { SendOutcome } from '../channel-port.js';
import { answerJson, post, retryAfterMs, type HttpAnswer, type PostRequest } from '../delivery-outcome.js';
import type { TimeBudget } from '../time-budget.js';

interface DiscordApiOptions {
  apiRoot: string;
  botToken: string;
  clock: Clock;
}

type Failure = Exclude<SendOutcome, { kind: 'sent' }>;

/** `status` and `code`: Discord's own, where it gave an answer. */
export type Called = { ok: true; answer: HttpAnswer } | { ok: false; status?: number; code?: number; outcome: Failure };

export interface DiscordCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the API's root, segments encoded. */
  path: string;
  json?: object;
  form?: FormData;
}

/** "Valid user agents": anything else may be turned away (https://docs.discord.com/developers/reference#user-agent). */
const USER_AGENT = 'DiscordBot (turnpike, 1)';

const errorSchema = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  /** Seconds, with decimals. */
  retry_after: z.number().optional(),
  global: z.boolean().optional(),
});

/**
 * Calls of the REST API for one bot. A thin client and not @discordjs/rest: that one queues by limits that only its own
 * process knows, and tries again by itself.
 */
export class DiscordApi {
  constructor(private readonly options: DiscordApiOptions) {}

  async call({ method, path, json, form }: DiscordCall, budget: TimeBudget, signal: AbortSignal): Promise<Called> {
    const { apiRoot, botToken } = this.options;
    const body = json === undefined ? form : JSON.stringify(json);
    const request: PostRequest = {
      url: new URL(`${apiRoot.replace(/\/+$/, '')}/${path}`),
      method,
      headers: {
        authorization: `Bot ${botToken}`,
        'user-agent': USER_AGENT,
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    };
    const answer = await post(request, { timeoutMs: budget.left() }, signal);
    if (answer.kind !== 'answer') return { ok: false, outcome: answer };
    return answer.status >= 200 && answer.status < 300 ? { ok: true, answer } : this.failed(answer);
  }

  /** A limit or a fault of the request was found before anything was done; of a 5xx nobody knows. */
  private failed(answer: HttpAnswer): Extract<Called, { ok: false }> {
    const { status, headers } = answer;
    const said = answerJson(answer, errorSchema) ?? {};
    const reason = [status, said.code, said.message].filter(Boolean).join(' ');
    if (status === 429) {
      const floor = said.retry_after === undefined ? retryAfterMs(headers, this.options.clock.now()) : said.retry_after * 1000;
      const isGlobal = said.global === true || headers.get('x-ratelimit-scope') === 'global';
      return {
        ok: false,
        status,
        outcome: {
          kind: 'retry',
          reason,
          ...(floor !== undefined && { retryAfterMs: Math.ceil(floor) }),
          ...(isGlobal && { scope: 'bot' }),
        },
      };
    }
    const code = said.code === undefined ? {} : { code: said.code };
    return { ok: false, status, ...code, outcome: { kind: status < 500 ? 'refused' : 'unknown', reason } };
  }
}
