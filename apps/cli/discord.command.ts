import type { Command } from 'commander';
import { discordCommands, registerDiscordCommands } from '#channels';
import { tenantConfig } from '#config';
import { TerminalError } from '#kernel';
import { commandNames, specOf } from '#routing';
import { Redactor } from '#telemetry';
import { CliError, EXIT } from './cli-error.js';
import { localConfig } from './local-config.js';
import type { Streams } from './streams.js';

interface RegisterOptions {
  account?: string;
  guild?: string;
  tenant: string;
  config?: string;
  dryRun?: true;
}

/** `turnpike discord register` (docs/channels/discord.md). */
export function discordCommand(turnpike: Command, streams: Streams): void {
  turnpike
    .command('discord')
    .summary('slash commands of a Discord application')
    .command('register')
    .summary('make /ask and the chat commands known to Discord')
    .description(
      'Registers /ask and every chat command with Discord, instead of what was registered before; done again it changes nothing.\n' +
        'Reads the configuration file for the application and the token of its bot.',
    )
    .option('--account <name>', 'account of channels.discord (default: the only one)')
    .option('--guild <id>', 'for one server only, where they are there at once (default: everywhere)')
    .option('--tenant <name>', 'whose account', 'default')
    .option('--config <file>', 'configuration file (default: TURNPIKE_CONFIG, else ./turnpike.json5)')
    .option('--dry-run', 'print what would be registered, and send nothing')
    .action((options: RegisterOptions) => register(options, streams));
}

async function register({ account, guild, tenant, config, dryRun }: RegisterOptions, { stdout }: Streams): Promise<void> {
  const [name, application] = accountOf(config, tenant, account);
  const commands = discordCommands(commandNames().map((command) => ({ name: command, ...specOf(command) })));
  if (dryRun) {
    stdout.write(`${JSON.stringify(commands, undefined, 2)}\n`);
    return;
  }
  await registerDiscordCommands(application, commands, guild).catch((error: unknown) => {
    if (!(error instanceof TerminalError)) throw error;
    throw new CliError(EXIT.error, new Redactor([application.botToken]).clean(error.message));
  });
  const where = guild === undefined ? 'everywhere' : `in server ${guild}`;
  stdout.write(
    `Registered for Discord account "${name}", ${where}: ${commands.map((command) => `/${command.name}`).join(' ')}\n`,
  );
}

function accountOf(config: string | undefined, tenant: string, named: string | undefined) {
  const accounts = Object.entries(tenantConfig(localConfig(config), tenant)?.channels.discord.accounts ?? {});
  const [only, another] = accounts.filter(([name]) => named === undefined || name === named);
  if (only && !another) return only;
  const known = accounts.map(([name]) => name).join(', ') || 'none';
  throw new CliError(EXIT.usage, `Which account of channels.discord? Tenant "${tenant}" has: ${known}. Name one with --account.`);
}
