import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import { RequestLimiter, type Counted } from '#limits';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { callerAddress } from './caller-address.js';
import type { Caller } from './callers.js';

/** Counting must not use up the time in which the request itself is to be answered. */
const COUNT_WITHIN_MS = 100;

/** Requests per minute, over all replicas: of one token, or of one address that shows none. */
@Injectable()
export class CallerLimit {
  constructor(
    private readonly limiter: RequestLimiter,
    private readonly redis: RedisCalls,
    private readonly config: ConfigSource,
  ) {}

  /** @returns the RateLimit headers of the answer. @throws Problem 429 */
  async charge({ tenant, name, requestsPerMinute }: Caller): Promise<Record<string, string>> {
    const most = requestsPerMinute ?? this.config.current.auth.requestsPerMinute;
    return this.count(`${tenant}:${name}`, 'token', most);
  }

  /** For who proves nothing: counts the request, and says how to refuse it. @returns 429, or `otherwise` while there is room */
  async stranger(request: IncomingMessage, otherwise: Problem): Promise<Problem> {
    const { auth, http } = this.config.current;
    try {
      await this.count(`@${callerAddress(request, http.proxies)}`, 'address', auth.strangerRequestsPerMinute);
      return otherwise;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  /** Without Redis nobody is limited: what the request wants is then refused anyway. */
  private async count(caller: string, what: string, most: number): Promise<Record<string, string>> {
    const counted = await this.redis.within(() => this.limiter.count(caller, most), COUNT_WITHIN_MS).catch(() => undefined);
    if (!counted) return {};
    const headers = rateLimitHeaders(what, most, counted);
    if (counted.waitMs === 0) return headers;
    const wait = seconds(counted.waitMs);
    const detail = `This ${what} may make ${most} requests a minute. Try again in ${wait} s.`;
    throw new Problem(429, 'too-many-requests', detail, { headers: { ...headers, 'retry-after': String(wait) } });
  }
}

/** draft-ietf-httpapi-ratelimit-headers-10: q requests in w seconds; r are left, for t seconds. */
function rateLimitHeaders(policy: string, most: number, { waitMs, left, resetMs }: Counted): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${most};w=60`,
    ratelimit: `"${policy}";r=${left};t=${seconds(waitMs || resetMs)}`,
  };
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
