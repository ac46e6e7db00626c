import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { agentConfig, ConfigSource, defaultAgentOf, tenantConfig } from '#config';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';
import { KnownTools } from './known-tools.js';

const word = z.string().min(1).max(256);
const querySchema = z.strictObject({
  tenant: word.optional(),
  agent: word.optional(),
  channel: word.default('webchat'),
  account: word.default('default'),
  /** As the platform names somebody. */
  sender: word.optional(),
  /** provider/model, instead of those of the agent. */
  model: word.optional(),
});
type Asked = z.infer<typeof querySchema>;

/** Which tools somebody has, and for each of the others what keeps it away (TO-7). */
@Controller('api/tools')
export class ToolsController {
  constructor(
    private readonly config: ConfigSource,
    private readonly known: KnownTools,
    private readonly redis: RedisCalls,
  ) {}

  /** @throws Problem 403, 404 no such agent */
  @Get()
  async list(@FromCaller() caller: Caller, @Query(new Input(querySchema)) asked: Asked) {
    const { channel, account, sender, model } = asked;
    const tenant = this.tenantOf(caller, asked);
    const agent = this.agentOf(tenant, asked.agent);
    const models = model === undefined ? this.known.modelsOf({ tenant, agent }) : [model];
    const senders = sender === undefined ? [] : [`${channel}:${sender}`];
    const tools = await this.redis.within(() => this.known.of({ tenant, agent, channel, account, senders }, models));
    return { tenant, agent, channel, account, sender: sender ?? null, models, tools };
  }

  private tenantOf(caller: Caller, { tenant = caller.tenant }: Asked): string {
    const mayAsk = caller.admin || (tenant === caller.tenant && caller.session === undefined);
    if (mayAsk && tenantConfig(this.config.current, tenant)) return tenant;
    const detail = 'This token may not see the tools of this tenant: use one of the tenant, or an admin token.';
    throw new Problem(403, 'forbidden', detail);
  }

  private agentOf(tenant: string, named: string | undefined): string {
    const sections = tenantConfig(this.config.current, tenant);
    const agent = named ?? (sections && defaultAgentOf(sections));
    if (agent !== undefined && agentConfig(this.config.current, tenant, agent)) return agent;
    const known = Object.keys(sections?.agents ?? {}).join(', ');
    throw new Problem(404, 'no-such-agent', `Which agent? Name one with ?agent=. Tenant ${tenant} has: ${known}.`);
  }
}
