import type { Clock } from '#kernel';
import type { SendContext, SendOutcome } from '../channel-port.js';
import { post } from '../delivery-outcome.js';
import { readAnswer, type FeishuAnswer } from './feishu-answer.js';
import type { TenantToken } from './tenant-token.js';

export interface FeishuCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind `/open-apis`, with its query. */
  path: string;
  /** JSON, or a form for uploads. */
  body?: Record<string, unknown> | FormData;
}

type Budget = Pick<SendContext, 'timeoutMs'>;

/**
 * Calls of one app. Feishu's own SDK is not used: it sends through axios, which cannot tell a request that never left from
 * one whose answer was lost, and it retries by itself; what is left of it here are seven calls.
 */
export class FeishuApi {
  constructor(
    readonly apiRoot: string,
    private readonly token: TenantToken,
    private readonly clock: Clock,
  ) {}

  /** All of it, token included, within the budget. A token that is not taken any more is replaced once: nothing was done with it. */
  async call(call: FeishuCall, { timeoutMs }: Budget, signal: AbortSignal): Promise<FeishuAnswer> {
    const deadline = this.clock.monotonic() + timeoutMs;
    const left = (): number => Math.floor(deadline - this.clock.monotonic());
    const first = await this.once(call, left(), signal);
    if (first.kind === 'ok' || first.about !== 'token' || left() <= 0) return first;
    return this.once(call, left(), signal);
  }

  /** For downloads, which another client makes. */
  async authorization(timeoutMs: number): Promise<string | Extract<SendOutcome, { kind: 'retry' | 'refused' }>> {
    const given = await this.token.get(timeoutMs);
    return given.kind === 'token' ? `Bearer ${given.token}` : given;
  }

  private async once({ method, path, body }: FeishuCall, timeoutMs: number, signal: AbortSignal): Promise<FeishuAnswer> {
    if (signal.aborted) return { kind: 'error', outcome: { kind: 'retry', reason: 'stopped before the request' } };
    const started = this.clock.monotonic();
    const given = await this.token.get(timeoutMs);
    if (given.kind !== 'token') return { kind: 'error', outcome: given };
    const left = Math.floor(timeoutMs - (this.clock.monotonic() - started));
    if (left <= 0) return { kind: 'error', outcome: { kind: 'retry', reason: 'no time left after the access token' } };
    const url = new URL(`${this.apiRoot}/open-apis${path}`);
    const answer = await post({ url, method, ...contentOf(body, given.token) }, { timeoutMs: left }, signal);
    if (answer.kind !== 'answer') return { kind: 'error', outcome: answer };
    const read = readAnswer({ ...answer, body: answer.body.replaceAll(given.token, '<token>') }, this.clock.now());
    if (read.kind === 'error' && read.about === 'token') this.token.drop(given.token);
    return read;
  }
}

function contentOf(body: FeishuCall['body'], token: string) {
  const headers = { authorization: `Bearer ${token}` };
  if (body === undefined || body instanceof FormData) return { headers, ...(body && { body }) };
  return { headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}
