import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { ChannelRegistry, type ChannelAccount } from '#channels';
import { accountOwners, ConfigSource, DEFAULT_TENANT } from '#config';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';

const querySchema = z.strictObject({ tenant: z.string().min(1).max(64).optional() });

/** The channel accounts of a tenant and what each can (OUT-2). No secrets and no addresses. */
@Controller('api/channels')
export class ChannelsController {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly config: ConfigSource,
  ) {}

  /** @throws Problem 403: another tenant's */
  @Get()
  list(@FromCaller() caller: Caller, @Query(new Input(querySchema)) { tenant = caller.tenant }: z.infer<typeof querySchema>) {
    if (!caller.admin && tenant !== caller.tenant)
      throw new Problem(
        403,
        'forbidden',
        'This token may not see the channels of this tenant: use one of the tenant, or an admin token.',
      );
    const owners = accountOwners(this.config.current);
    // API and web chat are one account of every tenant; what a program added beside the configuration is the first one's.
    const isOurs = ({ channel, account }: ChannelAccount) =>
      channel === 'webchat' || (owners.get(`${channel}/${account}`) ?? DEFAULT_TENANT) === tenant;
    return { tenant, channels: this.channels.all().filter(isOurs).map(described) };
  }
}

function described({ channel, account, description, inbound, outbound }: ChannelAccount) {
  const { title, ackDeadlineMs, dedupeId, retryWindowMs, notes } = description;
  const webhook = inbound && `/webhooks/${channel}/${account}`;
  return {
    channel,
    account,
    title,
    ...(webhook !== undefined && { webhook }),
    capabilities: outbound.capabilities,
    ...(ackDeadlineMs !== undefined && { ackDeadlineMs }),
    dedupeId,
    retryWindowMs,
    notes,
  };
}
