import { tenantConfig, type Config } from '#config';
import type { Envelope } from '#contracts';
import { isOwner } from '#routing';

/** Whether an owner of its tenant's agents wrote it: whoever has a token of the API, or is in access.owners. */
export function isFromOwner({ tenant, target: { channel }, sender }: Envelope, config: Config): boolean {
  const owners = tenantConfig(config, tenant)?.access.owners ?? [];
  return channel === 'webchat' || isOwner({ owners }, { channel, sender });
}
