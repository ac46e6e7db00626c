import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import type { TenantId } from '#kernel';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { PairingService, type PairingList } from './pairing.service.js';

const whereSchema = z.strictObject({ tenant: z.string().min(1).max(32).optional() });
const approveSchema = z.strictObject({ code: z.string().min(1).max(32) });
type Where = z.output<typeof whereSchema>;

/** Who asks to be heard, and who may be: for admins, and for tokens with `pairing` in their own tenant. */
@Controller('api/pairing')
export class PairingController {
  constructor(private readonly pairing: PairingService) {}

  @Get()
  list(@FromCaller() caller: Caller, @Query(new Input(whereSchema)) where: Where): Promise<PairingList> {
    return this.pairing.list(tenantOf(caller, where));
  }

  @Post('approve')
  @HttpCode(200)
  async approve(
    @FromCaller() caller: Caller,
    @Query(new Input(whereSchema)) where: Where,
    @Body(new Input(approveSchema)) { code }: z.output<typeof approveSchema>,
  ) {
    const approval = await this.pairing.approve(tenantOf(caller, where), code, caller.name);
    if (approval.kind === 'approved') return approval.sender;
    if (approval.kind === 'unknown') {
      throw new Problem(
        404,
        'no-such-code',
        'Nobody waits with this code. Codes are valid for an hour; the sender gets a new one by writing again.',
      );
    }
    const seconds = Math.ceil(approval.waitMs / 1000);
    throw new Problem(429, 'too-many-codes', `Too many codes were tried. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }

  @Delete(':channel/:account/:sender')
  @HttpCode(204)
  async revoke(
    @FromCaller() caller: Caller,
    @Query(new Input(whereSchema)) where: Where,
    @Param('channel') channel: string,
    @Param('account') account: string,
    @Param('sender') sender: string,
  ): Promise<void> {
    const known = await this.pairing.revoke(tenantOf(caller, where), { channel, account, sender });
    if (!known) throw new Problem(404, 'no-such-sender', 'This sender is not approved on this account.');
  }
}

function tenantOf(caller: Caller, { tenant = caller.tenant }: Where): TenantId {
  if (!caller.admin && !caller.pairing)
    throw new Problem(403, 'pairing-only', 'This needs an admin token, or one with pairing: true.');
  if (!caller.admin && tenant !== caller.tenant) throw new Problem(403, 'foreign-tenant', 'This token is for another tenant.');
  return tenant as TenantId;
}
