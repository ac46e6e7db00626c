import { Controller, Get } from '@nestjs/common';
import { BusySessions, type LaneName } from '#lanes';
import { AdminOnly } from '../access/route-access.js';
import { RedisCalls } from '../http/redis-calls.js';

/** How much work there is, for people and scripts; /metrics has it for machines. */
@Controller('api/queues')
export class QueuesController {
  constructor(
    private readonly busy: BusySessions,
    private readonly redis: RedisCalls,
  ) {}

  @Get('summary')
  @AdminOnly()
  async summary() {
    const [turns, deliveries] = await this.redis.within(() => Promise.all([this.lane('turns'), this.lane('deliveries')]));
    return { turns, deliveries };
  }

  private async lane(name: LaneName) {
    const [busy, [oldest]] = await Promise.all([this.busy.count(name), this.busy.list(name, 1)]);
    return { busy, oldest: oldest ?? null };
  }
}
