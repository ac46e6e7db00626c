import { Body, Controller, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { Admission, type FleetLimits } from '#lanes';
import { AdminOnly } from '../access/route-access.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';

const limitsSchema = z.strictObject({
  concurrency: z.int().min(0).max(1_000_000),
  turnsPerSecond: z.number().min(0).max(1_000_000),
});

/** The limits of the whole fleet, changed while it runs (G6); 0 = none. */
@Controller('api/limits')
export class LimitsController {
  constructor(
    private readonly admission: Admission,
    private readonly redis: RedisCalls,
  ) {}

  @Get()
  @AdminOnly()
  current(): FleetLimits {
    return this.admission.current;
  }

  @Put()
  @AdminOnly()
  async change(@Body(new Input(limitsSchema)) limits: FleetLimits): Promise<FleetLimits> {
    await this.redis.within(() => this.admission.setLimits(limits));
    return this.admission.current;
  }
}
