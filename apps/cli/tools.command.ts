import { Option, type Command } from 'commander';
import type { ApiClient, ToolsQuestion } from './api-client.js';
import type { ShownTool } from './api.schema.js';
import { CliError, EXIT } from './cli-error.js';
import type { Streams } from './streams.js';
import { plain, say, tenantOptions, type TenantOptions } from './tenant-command.js';

type ToolsOptions = TenantOptions & ToolsQuestion;

const TOKENS = 'an admin token, or one of the tenant';

/** `turnpike tools ...`: which tools an agent has where, and why not the others (docs/tools.md). */
export function toolsCommand(turnpike: Command, api: (options: TenantOptions) => ApiClient, streams: Streams): void {
  const tools = turnpike.command('tools').summary('which tools an agent has, and why');
  const asking = (command: Command): Command =>
    tenantOptions(command, TOKENS)
      .option('--agent <id>', 'whose tools (default: the default agent)')
      .option('--channel <name>', 'of a message that comes by this channel (default: webchat)')
      .option('--account <name>', 'account of the channel')
      .option('--sender <id>', 'of a message from somebody, as the platform names him')
      .option('--model <name>', "provider/model, instead of the agent's own")
      .addOption(new Option('--surface <kind>', 'asked for by a model, or over HTTP').choices(['turn', 'invoke']));

  asking(tools.command('list').summary('the tools, and with --all those that are kept away'))
    .option('--all', 'those that are kept away too')
    .action(async (given: ToolsOptions & { all?: true }) => {
      const page = await api(given).tools(questionOf(given));
      const shown = page.tools.filter(({ visible }) => visible || given.all);
      say(streams, given, { ...page, tools: shown }, shown.map(line).join('\n') || 'None.');
    });

  asking(tools.command('explain').summary('why a tool is there or not, rule by rule').argument('<tool>')).action(
    async (name: string, given: ToolsOptions) => {
      const [tool] = (await api(given).tools({ ...questionOf(given), tool: name })).tools;
      if (!tool)
        throw new CliError(EXIT.error, `No tool is called "${name}": turnpike tools list --all shows those that are there.`);
      say(streams, given, tool, explained(tool));
    },
  );
}

function questionOf({ tenant, agent, channel, account, sender, model, surface }: ToolsOptions): ToolsQuestion {
  return Object.fromEntries(
    Object.entries({ tenant, agent, channel, account, sender, model, surface }).filter(([, value]) => value !== undefined),
  );
}

function line(tool: ShownTool): string {
  return tool.visible ? `${plain(tool.name)}  ${owner(tool)}` : `${plain(tool.name)}  ${owner(tool)}  no: ${reason(tool)}`;
}

function explained(tool: ShownTool): string {
  const { name, visible, group, optional, ownerOnly, rules } = tool;
  const marks = [
    ...(group ? [`group ${plain(group)}`] : []),
    ...(optional ? ['optional'] : []),
    ...(ownerOnly ? ['for owners'] : []),
  ];
  return [
    `${plain(name)} is ${visible ? 'there' : 'not there'}: ${reason(tool)}`,
    `From ${[owner(tool), ...marks].join(', ')}.`,
    ...rules.map((rule) => `  ${plain(rule.says).padEnd(11)}${reason(rule)}`),
  ].join('\n');
}

function reason({ because, at }: Pick<ShownTool, 'because' | 'at'>): string {
  return plain(at === undefined ? because : `${because} (${at})`);
}

function owner({ origin }: ShownTool): string {
  if (origin.kind === 'native') return 'Turnpike';
  return plain(origin.kind === 'plugin' ? `plugin ${origin.plugin}` : `MCP server ${origin.server}`);
}
