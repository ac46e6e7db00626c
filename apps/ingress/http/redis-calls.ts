import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import { Platform } from '#host';
import { raceSignal, TerminalError, TransientError, UnavailableError } from '#kernel';
import { MessageRefused } from '#lanes';
import { Problem } from './problem.js';

/** With so many calls still without an answer after their time, Redis hangs: more of them would only fill the memory (B050). */
const MOST_LATE = 512;

/** Bounds what a request waits for Redis: an answer or a 503 within redis.commandTimeoutMs. */
@Injectable()
export class RedisCalls {
  private late = 0;

  constructor(
    private readonly platform: Platform,
    private readonly config: ConfigSource,
  ) {}

  /**
   * @param most ms
   * @throws UnavailableError for whatever Redis, or the way to it, did; what the call itself decided passes
   */
  async within<T>(call: () => Promise<T>, most: number = this.config.current.redis.commandTimeoutMs): Promise<T> {
    // Calls on connections that wait for Redis would wait too.
    if (this.platform.request.status !== 'ready') throw new UnavailableError('Redis is unreachable');
    if (this.late >= MOST_LATE) throw new UnavailableError('Redis does not answer');
    const answer = call();
    const timeout = AbortSignal.timeout(most);
    try {
      return await raceSignal(answer, timeout);
    } catch (error) {
      if (error === timeout.reason) this.countUntilSettled(answer);
      if (isAnswer(error)) throw error;
      throw new UnavailableError('Redis failed or did not answer in time', { cause: error });
    }
  }

  private countUntilSettled(answer: Promise<unknown>): void {
    const settled = (): void => void this.late--;
    this.late++;
    answer.then(settled, settled);
  }
}

/** A decision, or a fault of ours: no outage. */
function isAnswer(error: unknown): boolean {
  return [Problem, MessageRefused, TransientError, TerminalError, TypeError, SyntaxError].some((kind) => error instanceof kind);
}
