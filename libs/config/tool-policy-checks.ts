import type { Config } from './config.schema.js';
import type { ConfigProblem } from './config-error.js';
import { unknownProvider } from './model-providers.js';
import { PROVIDER_PRESETS } from './provider-presets.js';
import { unknownChannel } from './tenant-checks.js';
import { tenantsOf } from './tenants.js';
import { allPolicies } from './tool-rules.js';

/** A section for nobody denies nothing: a provider or a channel that there cannot be is a slip of the pen. */
export function policyProblems(config: Config): ConfigProblem[] {
  const { models, plugins } = config;
  const providers = { ...PROVIDER_PRESETS, ...models.providers, ...plugins.entries };
  const added = tenantsOf(config).flatMap(({ tenant }) => Object.keys(tenant.channels.plugins));
  return allPolicies(config).flatMap(({ at, policy: { byProvider, bySender } }) => [
    ...Object.keys(byProvider).flatMap((key) => {
      const message = unknownProvider(key.includes('/') ? key : `${key}/`, providers);
      return message === undefined ? [] : [{ path: `${at}.byProvider.${key}`, message }];
    }),
    ...Object.keys(bySender).flatMap((key) =>
      key === '*' ? [] : unknownChannel(`${at}.bySender.${key}`, key.slice(0, key.indexOf(':')), added),
    ),
  ]);
}
