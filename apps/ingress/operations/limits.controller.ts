import { Body, Controller, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { limitsSchema, type LimitsConfig } from '#config';
import { FleetLimits, type FleetLoad } from '#lanes';
import { AdminOnly } from '../access/route-access.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';
import { mergePatch } from './merge-patch.js';

const patchSchema = z.record(z.string(), z.unknown());
const MOST_TENANTS = 100;

/** What may run, over all replicas, changed while it runs (G6). Nobody but the operator sees or sets it. */
@Controller('api/limits')
export class LimitsController {
  constructor(
    private readonly limits: FleetLimits,
    private readonly redis: RedisCalls,
  ) {}

  @Get()
  @AdminOnly()
  async current(): Promise<{ limits: LimitsConfig; load: FleetLoad }> {
    const [limits, load] = await this.redis.within(() => Promise.all([this.limits.current(), this.limits.load(MOST_TENANTS)]));
    return { limits, load };
  }

  /** A JSON merge patch (RFC 7396): what it leaves out stays, null goes back to the default. @throws Problem 400 */
  @Put()
  @AdminOnly()
  async change(@Body(new Input(patchSchema)) patch: Record<string, unknown>): Promise<{ limits: LimitsConfig }> {
    const changed = (before: LimitsConfig): LimitsConfig => new Input(limitsSchema).transform(mergePatch(before, patch));
    return { limits: await this.redis.within(() => this.limits.change(changed)) };
  }
}
