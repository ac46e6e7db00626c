import type { Config } from './config.schema.js';
import { tenantConfig } from './tenants.js';

interface Said {
  tenant: string;
  channel: string;
  /** Over the API, the name of its token. */
  sender: string;
}

/** Whether the agents of a tenant are the sender's own: access.owners names it, or it came with an admin token. */
export function ownsAgents(config: Config, { tenant, channel, sender }: Said): boolean {
  const owners = tenantConfig(config, tenant)?.access.owners ?? [];
  return owners.includes(`${channel}:${sender}`) || (channel === 'webchat' && isAdmin(config.auth, sender));
}

/** `admin` is how auth.adminToken is called, unless a token that is no admin's took the name. */
function isAdmin({ tokens }: Config['auth'], name: string): boolean {
  const token = tokens.find((one) => one.name === name);
  return token ? token.admin : name === 'admin';
}
