import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { USAGE_DAYS, UsageAccount } from '#limits';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';

const querySchema = z.strictObject({
  tenant: z.string().min(1).max(64).optional(),
  days: z.coerce.number().int().min(1).max(USAGE_DAYS).default(1),
});

/** What a tenant has used, by day, agent, model and tier (MO-5). */
@Controller('api/usage')
export class UsageController {
  constructor(
    private readonly account: UsageAccount,
    private readonly redis: RedisCalls,
  ) {}

  /** @throws Problem 403: another tenant's, or all of a tenant's for a token of one session */
  @Get()
  async usage(@FromCaller() caller: Caller, @Query(new Input(querySchema)) asked: z.infer<typeof querySchema>) {
    const { tenant = caller.tenant, days } = asked;
    if (!caller.admin && (tenant !== caller.tenant || caller.session !== undefined))
      throw new Problem(
        403,
        'forbidden',
        'This token may not read the usage of this tenant: use one of the tenant, or an admin token.',
      );
    return { tenant, days: await this.redis.within(() => this.account.ofDays(tenant, days)) };
  }
}
