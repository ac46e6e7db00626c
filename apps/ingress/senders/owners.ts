import { tenantConfig, type Config } from '#config';
import type { Envelope } from '#contracts';
import { isOwner, type CommandSpec } from '#routing';

type Said = Pick<Envelope, 'tenant' | 'target' | 'sender'>;

/** Whether access.owners of its tenant names who wrote it. */
export function isFromOwner({ tenant, target: { channel }, sender }: Said, config: Config): boolean {
  const owners = tenantConfig(config, tenant)?.access.owners ?? [];
  return isOwner({ owners }, { channel, sender });
}

/** Anybody who is heard; where a command is for owners, also whoever has a token of the API. */
export function mayCommand({ who }: CommandSpec, said: Said, config: Config): boolean {
  return who === 'anyone' || said.target.channel === 'webchat' || isFromOwner(said, config);
}
