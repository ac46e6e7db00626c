import type { Command } from 'commander';
import { planPlugins, type PlannedPlugin, type PluginPlan } from '#plugins';
import { CliError, EXIT } from './cli-error.js';
import { localConfig } from './local-config.js';
import { pluginCheckCommand } from './plugins-check.command.js';
import { pluginInstallCommands } from './plugins-install.command.js';
import type { Streams } from './streams.js';

interface PluginOptions {
  config?: string;
  json?: true;
}

/** `turnpike plugins ...` reads the configuration file and the manifests; no code of a plugin runs but by `check` (docs/plugins.md). */
export function pluginsCommand(turnpike: Command, streams: Streams): void {
  const { stdout } = streams;
  const plugins = turnpike.command('plugins').summary('which plugins there are, and what they bring');
  pluginInstallCommands(plugins, streams);
  pluginCheckCommand(plugins, streams);
  const say = (json: true | undefined, answer: unknown, text: string): void =>
    void stdout.write(`${json ? JSON.stringify(answer) : text}\n`);

  options(plugins.command('list').summary('every plugin that is found, and whether it runs')).action(
    ({ config, json }: PluginOptions) => {
      const plan = planPlugins(localConfig(config).plugins);
      say(json, { plugins: plan.plugins.map(summaryOf), problems: plan.problems }, listed(plan));
    },
  );

  options(
    plugins.command('inspect').summary('all that the manifest of a plugin says').argument('<id>', 'as `plugins list` shows it'),
  ).action((id: string, { config, json }: PluginOptions) => {
    const plan = planPlugins(localConfig(config).plugins);
    const found = plan.plugins.find(({ manifest }) => manifest.id === id);
    if (!found) {
      const known = plan.plugins.map(({ manifest }) => manifest.id).join(', ');
      throw new CliError(EXIT.usage, `There is no plugin "${id}". Found: ${known || 'none'}.`);
    }
    say(json, { ...summaryOf(found), manifest: found.manifest }, inspected(found));
  });
}

function options(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: TURNPIKE_CONFIG, else ./turnpike.json5)')
    .option('--json', 'print one line of JSON');
}

function summaryOf({ manifest, version, origin, root, enabled, problems }: PlannedPlugin) {
  const { id, contracts, channels, providers } = manifest;
  return { id, version, origin, root, enabled, tools: contracts.tools, channels, providers, problems };
}

function listed({ plugins, problems }: PluginPlan): string {
  const rows = plugins.map((plugin) => [
    plugin.manifest.id,
    plugin.version,
    stateOf(plugin),
    plugin.origin,
    plugin.manifest.contracts.tools.join(', ') || '-',
  ]);
  const lines = columns([['PLUGIN', 'VERSION', 'STATE', 'FROM', 'TOOLS'], ...rows]);
  const wrong = plugins.flatMap((plugin) => plugin.problems);
  return [...lines, ...[...wrong, ...problems].map(({ path, message }) => `${path}: ${message}`)].join('\n');
}

function stateOf({ enabled, problems, manifest }: PlannedPlugin): string {
  if (!enabled) return 'off';
  if (problems.length > 0) return 'refused';
  return manifest.activation.onStartup ? 'on' : 'on, at first use';
}

function inspected(plugin: PlannedPlugin): string {
  const { manifest, version, origin, root, problems } = plugin;
  const { contracts, toolMetadata, configSchema, requiresPlugins, channels, providers, mcpServers } = manifest;
  const marks = (name: string): string => {
    const { optional, ownerOnly, group } = toolMetadata[name] ?? {};
    const all = [optional && 'optional', ownerOnly && 'owner only', group !== undefined && `group ${group}`];
    const said = all.filter((mark) => typeof mark === 'string');
    return said.length > 0 ? `${name} (${said.join(', ')})` : name;
  };
  const facts: [string, string][] = [
    ['Plugin', `${manifest.id} ${version}${manifest.name === undefined ? '' : `  ${manifest.name}`}`],
    ['Says', manifest.description],
    ['State', stateOf(plugin)],
    ['From', `${origin}  ${root}`],
    ['Requires', requiresPlugins.join(', ')],
    ['Tools', contracts.tools.map(marks).join(', ')],
    ['Channels', channels.join(', ')],
    ['Providers', providers.join(', ')],
    ['Commands', contracts.commands.map((name) => `/${name}`).join(', ')],
    ['Routes', contracts.httpRoutes.join(', ')],
    ['MCP', Object.keys(mcpServers).join(', ')],
    ['Config', JSON.stringify(configSchema['properties'] ?? {}, undefined, 2)],
  ];
  const lines = facts.filter(([, text]) => text !== '' && text !== '{}').map(([name, text]) => `${name.padEnd(10)}${text}`);
  return [...lines, ...problems.map(({ path, message }) => `${path}: ${message}`)].join('\n');
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
