import type { Config } from './config.schema.js';
import { accountsOf } from './channel-accounts.js';
import type { ConfigProblem } from './config-error.js';
import { isModelName } from './model-aliases.js';
import { unknownProvider } from './model-providers.js';
import { tenantProblems } from './tenant-checks.js';
import { policyProblems } from './tool-policy-checks.js';
import { DEFAULT_TENANT, tenantConfig, tenantsOf } from './tenants.js';

type Check = (config: Config) => ConfigProblem[];

/** What one option cannot know about another. */
const CHECKS: readonly Check[] = [
  ({ lanes }) => below('lanes.stalledCheckMs', lanes.stalledCheckMs, 'lanes.lockMs', lanes.lockMs),
  // A request that outlives half a lock could still arrive after another process took over (protocol 4).
  ({ lanes }) =>
    below('lanes.deliveries.requestTimeoutMs', lanes.deliveries.requestTimeoutMs, 'half of lanes.lockMs', lanes.lockMs / 2),
  ({ ops, http }) =>
    ops.port === http.port && ops.port !== 0
      ? [{ path: 'ops.port', message: `${ops.port} is http.port too; health and metrics need a port of their own` }]
      : [],
  duplicateTokens,
  ({ tenants }) =>
    Object.hasOwn(tenants, DEFAULT_TENANT)
      ? [{ path: `tenants.${DEFAULT_TENANT}`, message: 'is the top level of the file; move its sections there' }]
      : [],
  aliasesWithoutProvider,
  unknownTenants,
  sharedAccounts,
  tenantProblems,
  policyProblems,
];

/** Production must not come up open (IN-6). Standalone makes a token of its own and prints it. */
export function adminTokenProblem({ production, auth }: Config): ConfigProblem[] {
  if (!production || auth.adminToken !== undefined) return [];
  const message =
    'is required in production; set TURNPIKE_ADMIN_TOKEN or TURNPIKE_ADMIN_TOKEN_FILE, for example to the output of `openssl rand -hex 32`';
  return [{ path: 'auth.adminToken', message }];
}

export function crossProblems(config: Config): ConfigProblem[] {
  return CHECKS.flatMap((check) => check(config));
}

function below(path: string, value: number, limitName: string, limit: number): ConfigProblem[] {
  return value < limit
    ? []
    : [{ path, message: `${value} must be below ${limitName} (${limit}); lower it or raise lanes.lockMs` }];
}

function duplicateTokens({ auth }: Config): ConfigProblem[] {
  const names = new Set<string>();
  const values = new Set(auth.adminToken === undefined ? [] : [auth.adminToken]);
  return auth.tokens.flatMap(({ name, token }, i) => {
    const problems: ConfigProblem[] = [];
    if (names.has(name))
      problems.push({
        path: `auth.tokens.${i}.name`,
        message: `${JSON.stringify(name)} is taken by an earlier token; choose another`,
      });
    if (values.has(token))
      problems.push({ path: `auth.tokens.${i}.token`, message: 'is the same as another token; every caller needs its own' });
    names.add(name);
    values.add(token);
    return problems;
  });
}

function unknownTenants(config: Config): ConfigProblem[] {
  return config.auth.tokens.flatMap(({ tenant }, i) =>
    tenantConfig(config, tenant)
      ? []
      : [
          {
            path: `auth.tokens.${i}.tenant`,
            message: `${JSON.stringify(tenant)} is no tenant; known: ${tenantsOf(config)
              .map(({ id }) => id)
              .join(', ')}`,
          },
        ],
  );
}

/** `/webhooks/<channel>/<account>` names one account, so it has one owner. */
function sharedAccounts(config: Config): ConfigProblem[] {
  const owners = new Map<string, string>();
  return tenantsOf(config).flatMap(({ at, tenant }) =>
    accountsOf(tenant)
      .filter(({ channel }) => channel !== 'webchat')
      .flatMap(({ channel, account, path }) => {
        const name = `${channel}/${account}`;
        const owner = owners.get(name);
        owners.set(name, at(path));
        return owner === undefined
          ? []
          : [{ path: at(path), message: `/webhooks/${name} is already ${owner}; give one of the two another name` }];
      }),
  );
}

function aliasesWithoutProvider({ models, plugins }: Config): ConfigProblem[] {
  return Object.entries(models.aliases).flatMap(([alias, model]) => {
    const message = isModelName(model) ? unknownProvider(model, { ...models.providers, ...plugins.entries }) : undefined;
    return message === undefined ? [] : [{ path: `models.aliases.${alias}`, message }];
  });
}
