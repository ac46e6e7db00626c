import { Injectable } from '@nestjs/common';
import { ConfigSource, tenantConfig } from '#config';
import type { AgentId } from '#kernel';
import type { Caller } from '../access/callers.js';
import { SessionAccess } from '../access/session-access.js';
import { Problem } from '../http/problem.js';

/** `turnpike/main` is `main`, for gateways that want a provider in front. */
const PROVIDER = 'turnpike/';

/** The agents of a tenant, as models. */
@Injectable()
export class AgentModels {
  constructor(
    private readonly config: ConfigSource,
    private readonly access: SessionAccess,
  ) {}

  /** Those that the token may use: all of its tenant, or the one of its only session. */
  list(caller: Caller): AgentId[] {
    const agents = Object.keys(tenantConfig(this.config.current, caller.tenant)?.agents ?? {}) as AgentId[];
    if (caller.session === undefined || caller.admin) return agents;
    const { address } = this.access.resolve(caller);
    return agents.filter((agent) => agent === address.agent);
  }

  /** @throws Problem 404 */
  find(caller: Caller, model: string): AgentId {
    const known = this.list(caller);
    const found = known.find((agent) => agent === model || `${PROVIDER}${agent}` === model);
    if (found) return found;
    const detail = `The model ${JSON.stringify(model)} is no agent that this token may use. Agents: ${known.join(', ')}.`;
    throw new Problem(404, 'model-not-found', detail, { errors: [{ path: 'model', message: detail }] });
  }
}
