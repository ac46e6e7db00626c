import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { CallEnd } from '#limits';
import { systemClock, TransientError } from '#kernel';

/** Room for one model call. */
export interface BudgetedCall {
  /** What the provider counted, the last word counts. */
  used(inputTokens: number, outputTokens: number): void;
  /** Once, however the call ended; does not wait, does not throw. */
  end(how: Pick<CallEnd, 'outcome' | 'retryAfterMs' | 'said'>): void;
}

/** Throws NotNowError when there is no room, and the signal's reason. */
export type OpenCall = (request: ModelRequest, signal: AbortSignal) => Promise<BudgetedCall>;

/** A provider whose every call has its room in the shared budget, the answer's and the summary's alike (QU-5). */
export class BudgetedProvider implements ModelProvider {
  constructor(
    private readonly provider: ModelProvider,
    private readonly open: OpenCall,
  ) {}

  get id(): string {
    return this.provider.id;
  }

  get account(): string | undefined {
    return this.provider.account;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const call = await this.open(request, signal);
    const how: Parameters<BudgetedCall['end']>[0] = { outcome: 'failed', retryAfterMs: undefined, said: undefined };
    let saidAt = 0;
    try {
      for await (const event of this.provider.stream(request, signal)) {
        if (event.type === 'limits') {
          how.said = { ...event, ageMs: 0 };
          saidAt = systemClock.monotonic();
          continue;
        }
        if (event.type === 'usage') call.used(event.usage.inputTokens, event.usage.outputTokens);
        if (event.type === 'stop') how.outcome = 'ok';
        yield event;
      }
    } catch (error) {
      if (error instanceof TransientError && error.code === 'rate_limit') {
        how.outcome = 'limited';
        how.retryAfterMs = error.retryAfterMs;
      }
      throw error;
    } finally {
      if (how.said) how.said.ageMs = systemClock.monotonic() - saidAt;
      call.end(how);
    }
  }
}
