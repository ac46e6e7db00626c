import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import type { DeadLetter, Replay } from '#contracts';
import { Platform } from '#host';
import type { TenantId } from '#kernel';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';

const MOST_LETTERS = 200;

const tenantSchema = z.strictObject({ tenant: z.string().min(1).max(64).optional() });
const pageSchema = tenantSchema.extend({
  limit: z.coerce.number().int().min(1).max(MOST_LETTERS).default(50),
  /** `next` of the page before: Redis time, ms. */
  before: z.coerce.number().int().min(0).optional(),
});
type OfTenant = z.infer<typeof tenantSchema>;

/** Deliveries of a tenant that were given up: to look at, and to send again by hand, each once (OUT-1). */
@Controller('api/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly platform: Platform,
    private readonly redis: RedisCalls,
  ) {}

  /** Newest first. @throws Problem 403 */
  @Get()
  async list(
    @FromCaller() caller: Caller,
    @Query(new Input(pageSchema)) { limit, before, ...asked }: z.infer<typeof pageSchema>,
  ) {
    const tenant = tenantOf(caller, asked);
    const letters = await this.redis.within(() => this.platform.deadLetters.list(tenant, limit, before));
    const next = letters.length < limit ? null : (letters.at(-1)?.at ?? null);
    return { tenant, deadLetters: letters.map(shown), next };
  }

  /** A letter, or where it was sent again, that. @throws Problem 403, 404 */
  @Get(':id')
  async show(@FromCaller() caller: Caller, @Param('id') id: string, @Query(new Input(tenantSchema)) asked: OfTenant) {
    const tenant = tenantOf(caller, asked);
    const found = await this.redis.within(() => this.platform.deadLetters.find(tenant, id));
    if (!found) throw unknown(id);
    return 'reason' in found ? shown(found) : replayed(id, found);
  }

  /** Stored for good when it answers; asked again, it says what the first call did. @throws Problem 403, 404, 409 */
  @Post(':id/replay')
  @HttpCode(202)
  async replay(@FromCaller() caller: Caller, @Param('id') id: string, @Query(new Input(tenantSchema)) asked: OfTenant) {
    const tenant = tenantOf(caller, asked);
    const answer = await this.redis.within(() => this.platform.deadLetters.replay(tenant, id));
    if (answer.kind === 'unknown') throw unknown(id);
    if (answer.kind === 'busy')
      throw new Problem(409, 'still-trying', 'This message is being tried once more just now: look at it again in a minute.');
    return replayed(id, answer.replay);
  }
}

function shown({ row, reason, state, at, platformIds }: DeadLetter) {
  const { id, session, turn, mode, n, target, text } = row;
  const { channel, account, conversation, thread = null } = target;
  const place = { channel, account, conversation, thread };
  return { id, at, state, reason, ...place, session, turnId: turn, deliveryMode: mode, sequenceInTurn: n, text, platformIds };
}

function replayed(id: string, { row, at }: Replay) {
  return { id, replayedAs: row, replayedAt: at };
}

function unknown(id: string): Problem {
  const detail = `There is no dead letter "${id}" in this tenant: GET /api/dead-letters lists those that are there.`;
  return new Problem(404, 'no-such-letter', detail);
}

function tenantOf(caller: Caller, { tenant = caller.tenant }: OfTenant): TenantId {
  if (caller.admin || (tenant === caller.tenant && caller.session === undefined)) return tenant as TenantId;
  const detail = 'This token may not see the dead letters of this tenant: use one of the tenant, or an admin token.';
  throw new Problem(403, 'forbidden', detail);
}
