import { agentSchema } from './agents.schema.js';
import type { Config } from './config.schema.js';
import type { AgentConfig, TenantConfig } from './tenant.schema.js';

/** The tenant that the top level of the file is: a deployment for one needs no tenant words (TN-1). */
export const DEFAULT_TENANT = 'default';

/** The only way to a tenant's sections. undefined: it is not configured, or not any more. */
export function tenantConfig(config: Config, tenant: string): TenantConfig | undefined {
  if (tenant === DEFAULT_TENANT) return config;
  return Object.hasOwn(config.tenants, tenant) ? config.tenants[tenant] : undefined;
}

/** undefined: it is not configured, or not any more. */
export function agentConfig(config: Config, tenant: string, agent: string): AgentConfig | undefined {
  const agents = tenantConfig(config, tenant)?.agents;
  return agents && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
}

/** Stands in for an agent that is configured no more, so that its last turns can end. */
export const goneAgent: AgentConfig = { ...agentSchema.parse({}), model: 'scripted/demo' };

interface TenantEntry {
  id: string;
  /** Where its options are in the file. */
  at: (path: string) => string;
  tenant: TenantConfig;
}

export function tenantsOf(config: Config): TenantEntry[] {
  const all = [[DEFAULT_TENANT, config] as const, ...Object.entries(config.tenants)];
  return all.map(([id, tenant]) => ({ id, at: (path) => tenantPath(id, path), tenant }));
}

/** Where an option of a tenant is in the file. */
export function tenantPath(tenant: string, path: string): string {
  return tenant === DEFAULT_TENANT ? path : `tenants.${tenant}.${path}`;
}
