import { builtInChannels, type ConfigProblem, type PluginAccount } from '#config';
import { JsonSchema } from '#tools';
import { planPlugins, type PlannedPlugin, type PluginSettings } from '../plan-plugins.js';

/** An account, and the plugin that brings its channel. */
export interface PlannedAccount {
  plugin: PlannedPlugin;
  account: PluginAccount;
  /** With the defaults of its schema. */
  config: Readonly<Record<string, unknown>>;
}

export interface ChannelPlan {
  accounts: PlannedAccount[];
  problems: ConfigProblem[];
}

/** Which plugin opens each account of `channels.plugins`, and what is wrong with it; no plugin code runs (TO-3). */
export function planChannels(settings: PluginSettings, accounts: readonly PluginAccount[]): ChannelPlan {
  if (accounts.length === 0) return { accounts: [], problems: [] };
  const { plugins } = planPlugins(settings);
  const plan: ChannelPlan = { accounts: [], problems: [] };
  for (const account of accounts) {
    const found = bringerOf(account.channel, plugins);
    if (typeof found === 'string') plan.problems.push({ path: account.path, message: found });
    else check(account, found, plan);
  }
  return plan;
}

/** @returns why there is none, else */
function bringerOf(channel: string, plugins: readonly PlannedPlugin[]): PlannedPlugin | string {
  if (builtInChannels.includes(channel))
    return `${channel} is a channel of Turnpike itself, and no plugin's; its accounts have a section of their own`;
  const named = plugins.filter(({ manifest }) => manifest.channels.includes(channel));
  const [only, another] = named.filter(({ enabled, foreign }) => enabled && !foreign);
  const ids = named.map(({ manifest }) => manifest.id).join(' and ');
  if (another) return `${ids} bring the channel ${channel}; disable all but one of them`;
  if (only) return only;
  if (named.some(({ foreign }) => foreign))
    return `the channel ${channel} is one of OpenClaw's (${ids}): its channels do not run here`;
  return named.length > 0
    ? `the plugin ${ids}, which brings the channel ${channel}, is not enabled; set plugins.entries.${named[0]?.manifest.id}.enabled`
    : `no plugin brings the channel ${channel}; see \`turnpike plugins list\``;
}

function check(account: PluginAccount, plugin: PlannedPlugin, plan: ChannelPlan): void {
  const config = structuredClone(account.config);
  const at = `${account.path}.config`;
  const { schema = { type: 'object', additionalProperties: false } } = plugin.manifest.channelConfigs[account.channel] ?? {};
  try {
    const wrong = new JsonSchema(schema, 'fill').problems(config);
    plan.problems.push(...wrong.map(({ path, message }) => ({ path: path ? `${at}.${path}` : at, message })));
    plan.accounts.push({ plugin, account, config });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `cannot be checked: channelConfigs.${account.channel}.schema of its manifest is no JSON Schema (${why})`;
    plan.problems.push({ path: at, message });
  }
}
