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
  /** provider/model, instead of the agent's own. */
  model: word.optional(),
  /** invoke: called from outside, not by a model. */
  surface: z.enum(['turn', 'invoke']).default('turn'),
  /** Only this one, with every rule that says something of it. */
  tool: word.optional(),
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
    const { channel, account, sender, surface } = asked;
    const tenant = this.tenantOf(caller, asked);
    const agent = this.agentOf(tenant, asked.agent);
    const model = asked.model ?? this.known.modelOf({ tenant, agent });
    const whom = { tenant, agent, channel, account, sender, model, surface };
    const { tool } = asked;
    const tools = await this.redis.within(() => (tool === undefined ? this.known.of(whom) : this.known.explained(tool, whom)));
    return { ...whom, sender: sender ?? null, tools };
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
