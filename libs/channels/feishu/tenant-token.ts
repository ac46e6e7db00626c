import { z } from 'zod';
import type { Clock } from '#kernel';
import type { SendOutcome } from '../channel-port.js';
import { answerJson, post } from '../delivery-outcome.js';

const answerSchema = z.object({
  code: z.number(),
  msg: z.string().default(''),
  tenant_access_token: z.string().min(1),
  expire: z.number(),
});
const refusalSchema = z.object({ code: z.number(), msg: z.string().default('') });

/** Feishu gives a new token, beside the old one, when less than 30 minutes are left: asked for at half of that. */
const RENEW_BEFORE_MS = 15 * 60_000;

export type TokenAnswer = { kind: 'token'; token: string } | Extract<SendOutcome, { kind: 'retry' | 'refused' }>;

interface TenantTokenOptions {
  apiRoot: string;
  appId: string;
  appSecret: string;
  clock: Clock;
}

/**
 * The tenant_access_token of an app: good for 2 hours, kept in memory, never logged. Every process asks for its own:
 * Feishu gives all of them the same one until it nears its end, so there is nothing to share and nothing to lock.
 */
export class TenantToken {
  private held: { token: string; renewAt: number } | undefined;
  private asking: Promise<TokenAnswer> | undefined;

  constructor(private readonly options: TenantTokenOptions) {}

  /** One request, however many wait for it: it goes on when one of them stops. */
  async get(timeoutMs: number): Promise<TokenAnswer> {
    if (this.held && this.options.clock.monotonic() < this.held.renewAt) return { kind: 'token', token: this.held.token };
    this.asking ??= this.ask(timeoutMs).finally(() => (this.asking = undefined));
    return this.asking;
  }

  /** Feishu does not take it any more. */
  drop(token: string): void {
    if (this.held?.token === token) this.held = undefined;
  }

  private async ask(timeoutMs: number): Promise<TokenAnswer> {
    const { apiRoot, appId, appSecret, clock } = this.options;
    const url = new URL(`${apiRoot}/open-apis/auth/v3/tenant_access_token/internal`);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const body = JSON.stringify({ app_id: appId, app_secret: appSecret });
    const answer = await post({ url, headers, body }, { timeoutMs }, AbortSignal.timeout(timeoutMs));
    // Nothing was sent to a chat, whatever became of this request.
    if (answer.kind !== 'answer') return { kind: 'retry', reason: `no access token: ${answer.reason}` };
    const given = answerJson(answer, answerSchema);
    if (given?.code === 0) {
      this.held = { token: given.tenant_access_token, renewAt: clock.monotonic() + given.expire * 1000 - RENEW_BEFORE_MS };
      return { kind: 'token', token: given.tenant_access_token };
    }
    const refusal = answerJson(answer, refusalSchema);
    const reason = `no access token: ${refusal ? `${refusal.code} ${refusal.msg}` : answer.status}`.replaceAll(
      appSecret,
      '<secret>',
    );
    const mayWork = answer.status === 429 || answer.status >= 500 || !refusal;
    return { kind: mayWork ? 'retry' : 'refused', reason };
  }
}
