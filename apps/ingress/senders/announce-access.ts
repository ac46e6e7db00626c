import { accountAccess, accountsOf, tenantsOf, type Config } from '#config';
import type { Logger } from '#telemetry';

/** Says at start who is heard on each account of a chat platform, so that nobody wonders why a bot is silent. */
export function announceAccess(config: Config, logger: Logger): void {
  for (const { id: tenant, tenant: sections } of tenantsOf(config)) {
    for (const { channel, account } of accountsOf(sections)) {
      if (channel === 'webchat') continue;
      const { dmPolicy, groupPolicy, groups } = accountAccess(config, tenant, channel, account);
      const fields = { tenant, channel, account, dmPolicy, groupPolicy, groups: Object.keys(groups).length };
      logger.info(
        fields,
        dmPolicy === 'pairing' ? 'Strangers get a code, to be approved: turnpike pairing approve CODE' : 'Who is heard',
      );
    }
  }
}
