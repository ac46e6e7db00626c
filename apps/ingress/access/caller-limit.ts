import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import { RequestLimiter } from '#limits';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import type { Caller } from './callers.js';

/** Counting must not use up the time in which the request itself is to be answered. */
const COUNT_WITHIN_MS = 100;

/** auth.requestsPerMinute of one token, over all replicas. */
@Injectable()
export class CallerLimit {
  constructor(
    private readonly limiter: RequestLimiter,
    private readonly redis: RedisCalls,
    private readonly config: ConfigSource,
  ) {}

  /** Without Redis nobody is limited: what the request wants is then refused anyway. @throws Problem 429 */
  async charge({ name }: Caller): Promise<void> {
    const most = this.config.current.auth.requestsPerMinute;
    const waitMs = await this.redis.within(() => this.limiter.count(name, most), COUNT_WITHIN_MS).catch(() => 0);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    const detail = `This token may make ${most} requests a minute. Try again in ${seconds} s.`;
    throw new Problem(429, 'too-many-requests', detail, { headers: { 'retry-after': String(seconds) } });
  }
}
