import { accountsOf, defaultAgentOf } from './channel-accounts.js';
import type { BindingConfig } from './bindings.schema.js';
import type { TenantConfig } from './tenant.schema.js';

export interface RoutingRulesConfig {
  tenant: string;
  bindings: (BindingConfig & { source: string })[];
  fallback: { agent: string; source: string } | undefined;
  session: TenantConfig['session'];
}

/** A tenant's sections as libs/routing takes them. The agent of an account is a binding of that account behind all others. */
export function routingRules(tenant: string, config: TenantConfig): RoutingRulesConfig {
  const written = config.bindings.map((binding, i) => ({ ...binding, source: `bindings.${i}` }));
  const ofAccounts = accountsOf(config).flatMap(({ channel, account, path, agent }) =>
    agent === undefined ? [] : [{ agent, match: { channel, account }, source: `${path}.agent` }],
  );
  const agent = defaultAgentOf(config);
  const source = config.defaultAgent === undefined ? 'the only agent' : 'defaultAgent';
  const fallback = agent === undefined ? undefined : { agent, source };
  return { tenant, bindings: [...written, ...ofAccounts], fallback, session: config.session };
}
