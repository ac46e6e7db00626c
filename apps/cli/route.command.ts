import { accountsOf, routingRules, tenantConfig, tenantsOf, type TenantConfig } from '#config';
import { TerminalError } from '#kernel';
import { explainRoute, Router, type Place, type TierReport } from '#routing';
import { CliError, EXIT } from './cli-error.js';
import { localConfig } from './local-config.js';
import type { Streams } from './streams.js';

export interface RouteQuestion {
  tenant: string;
  /** Without an account: the only one of the channel. */
  place: Omit<Place, 'account'> & { account?: string };
  json: boolean;
  /** Else TURNPIKE_CONFIG, else ./turnpike.json5. */
  config: string | undefined;
}

/** Prints which agent would answer, by which rule, and why none before it. Reads the configuration file; asks no server. */
export function explain({ tenant, place, json, config: file }: RouteQuestion, { stdout }: Streams): void {
  const config = localConfig(file);
  const sections = tenantConfig(config, tenant);
  if (!sections) {
    const known = tenantsOf(config).map(({ id }) => id);
    throw new CliError(EXIT.usage, `"${tenant}" is no tenant. Configured: ${known.join(', ')}.`);
  }
  const account = accountOf(tenant, sections, place);
  const rules = routingRules(tenant, sections);
  const { route, tiers } = explained(new Router(rules), rules, { ...place, account });
  if (json) {
    stdout.write(`${JSON.stringify({ ...route, tiers })}\n`);
    return;
  }
  const { agent, matchedBy, source, session } = route;
  const facts = [
    ['Agent', agent],
    ['Rule', `${matchedBy}, by ${source}`],
    ['Session', session],
    ['Tenant', tenant],
  ];
  const lines = facts.map(([name, value]) => `${name?.padEnd(9)}${value}`);
  stdout.write(`${[...lines, '', 'The rules in their order:', ...tiers.flatMap(tierLines)].join('\n')}\n`);
}

function accountOf(tenant: string, sections: TenantConfig, { channel, account }: RouteQuestion['place']): string {
  const known = accountsOf(sections);
  const ofChannel = known.filter((one) => one.channel === channel).map((one) => one.account);
  const [only, another] = ofChannel;
  if (account === undefined && only !== undefined && another === undefined) return only;
  if (account !== undefined && ofChannel.includes(account)) return account;
  const asked =
    account === undefined ? `Which account of ${channel}?` : `Tenant ${tenant} has no account "${account}" of ${channel}.`;
  const list = known.map((one) => `${one.channel} ${one.account}`).join(', ');
  throw new CliError(EXIT.usage, `${asked} Its accounts are: ${list}. Name one with --channel and --account.`);
}

function explained(...question: Parameters<typeof explainRoute>): ReturnType<typeof explainRoute> {
  try {
    return explainRoute(...question);
  } catch (error) {
    if (error instanceof TerminalError) throw new CliError(EXIT.error, error.message, { cause: error });
    throw error;
  }
}

function tierLines({ rule, refused, matched }: TierReport): string[] {
  const passed = refused.map(({ source, because }) => `${source}  ${because}`);
  const said = matched === undefined ? passed : [...passed, `${matched}  matches`];
  const [first = 'no binding of this kind', ...rest] = said;
  return [`  ${rule.padEnd(23)}${first}`, ...rest.map((line) => `  ${''.padEnd(23)}${line}`)];
}
