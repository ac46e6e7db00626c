import { Command, CommanderError, Option } from 'commander';
import { describeError } from '#kernel';
import { ApiClient } from './api-client.js';
import { chat } from './chat.command.js';
import { CliError, EXIT, type ExitCode } from './cli-error.js';
import { deadCommand } from './dead.command.js';
import { DEFAULT_URL, findDeployment } from './deployment.js';
import { discordCommand } from './discord.command.js';
import type { CliEnvironment } from './environment.js';
import { explain } from './route.command.js';
import { mcpCommand } from './mcp.command.js';
import { pairingCommand } from './pairing.command.js';
import { pluginsCommand } from './plugins.command.js';
import { send } from './send.command.js';
import type { Streams } from './streams.js';
import { toolsCommand } from './tools.command.js';
import { terminalStyle } from './terminal-style.js';

interface CommonOptions {
  url?: string;
  token?: string;
  session?: string;
  json?: true;
}

const EPILOGUE = `
Where and who:
  --url and --token, else TURNPIKE_URL and TURNPIKE_TOKEN, else ${DEFAULT_URL}
  and the token that \`npm start\` left in ./data/admin-token.

Exit codes:
  0 done   1 error   2 wrong usage   69 the service does not answer   77 access refused

Examples:
  turnpike chat
  turnpike chat --session support
  turnpike send "How many turns ran today?" --wait
  git diff | turnpike send - --wait
  turnpike route explain --channel telegram --account shop --peer 123
  turnpike plugins inspect notes`;

/** Runs one command line. Never throws: everything that can go wrong becomes a sentence on stderr and an exit code. */
export async function run(words: readonly string[], env: CliEnvironment, streams: Streams): Promise<ExitCode> {
  try {
    await program(env, streams).parseAsync(words, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    // Commander has printed its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const bad = terminalStyle(streams.stderr.isTTY === true && !env.noColor).bad;
    streams.stderr.write(`${bad('turnpike:')} ${error instanceof CliError ? error.message : describeError(error)}\n`);
    return error instanceof CliError ? error.exitCode : EXIT.error;
  }
}

function program(env: CliEnvironment, streams: Streams): Command {
  const turnpike = new Command('turnpike')
    .description('Talk to the agents of a Turnpike deployment.')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({ writeOut: (text) => streams.stdout.write(text), writeErr: (text) => streams.stderr.write(text) })
    .showHelpAfterError('(turnpike --help shows everything)');

  common(turnpike.command('chat'), 'print every event of the session as one JSON object per line')
    .summary('a conversation in the terminal, with answers as they are written')
    .description(
      'A conversation in the terminal, with answers as they are written. Ctrl-C stops the running answer; a second one, or /exit, leaves.\n' +
        'When stdin is a pipe, each line is one message, and the command ends after the last answer.',
    )
    .action(async (options: CommonOptions) => {
      const style = terminalStyle(streams.stdout.isTTY === true && !env.noColor);
      await chat(apiOf(options, env), { json: options.json === true, style }, streams);
    });

  common(turnpike.command('send'), "print the server's answer as one line of JSON")
    .summary('send one message')
    .description('Sends one message, and returns when it is stored for good; with --wait, when it is answered.')
    .argument('<text>', 'the message; - reads it from stdin')
    .option('--wait', 'wait for the answer and print it')
    .option('--id <key>', 'idempotency key: the same key again is the same message, answered once (default: a new one)')
    .action(async (text: string, options: CommonOptions & { wait?: true; id?: string }) => {
      await send(
        apiOf(options, env),
        text,
        { wait: options.wait === true, json: options.json === true, idempotencyKey: options.id },
        streams,
      );
    });
  pairingCommand(turnpike, (given) => new ApiClient(findDeployment(given, env), undefined), streams);
  deadCommand(turnpike, (given) => new ApiClient(findDeployment(given, env), undefined), streams);
  toolsCommand(turnpike, (given) => new ApiClient(findDeployment(given, env), undefined), streams);
  routeCommand(turnpike, streams);
  pluginsCommand(turnpike, streams);
  discordCommand(turnpike, streams);
  mcpCommand(turnpike, streams);
  return turnpike;
}

interface RouteOptions {
  channel: string;
  account?: string;
  peer: string;
  kind: 'direct' | 'group' | 'channel';
  person?: string;
  thread?: string;
  parent?: string;
  guild?: string;
  roles?: string[];
  team?: string;
  tenant: string;
  config?: string;
  json?: true;
}

function routeCommand(turnpike: Command, streams: Streams): void {
  turnpike
    .command('route')
    .summary('which agent answers a message, and why')
    .command('explain')
    .summary('which agent would answer a message, and why')
    .description(
      'Prints the agent that would answer a message, the rule that says so, the session, and why no earlier rule did.\n' +
        'Reads the configuration file as it is now; asks no server and sends nothing.',
    )
    .requiredOption('--channel <name>', 'telegram, generic (webhooks) or webchat')
    .requiredOption('--peer <id>', 'the chat, as the platform names it')
    .option('--account <name>', 'account of the channel (default: the only one)')
    .addOption(new Option('--kind <kind>', 'kind of chat').choices(['direct', 'group', 'channel']).default('direct'))
    .option('--person <id>', 'whom a direct chat is with (default: the same id as the chat)')
    .option('--thread <id>', 'thread or topic')
    .option('--parent <id>', 'the chat that the thread belongs to, where it has another id')
    .option('--guild <id>', 'server or workspace')
    .option('--roles <ids>', "the sender's roles there, with commas", (ids: string) => ids.split(','))
    .option('--team <id>', 'team of the workspace')
    .option('--tenant <name>', 'whose rules', 'default')
    .option('--config <file>', 'configuration file (default: TURNPIKE_CONFIG, else ./turnpike.json5)')
    .option('--json', 'print one line of JSON')
    .action(({ peer, kind, person, tenant, config, json, ...rest }: RouteOptions) => {
      const place = { ...rest, conversation: peer, chatType: kind, person: kind === 'direct' ? (person ?? peer) : undefined };
      explain({ tenant, place, json: json === true, config }, streams);
    });
}

function common(command: Command, json: string): Command {
  return command
    .option('--url <address>', `address of the deployment (default: TURNPIKE_URL, else ${DEFAULT_URL})`)
    .option('--token <token>', 'access token (default: TURNPIKE_TOKEN, else ./data/admin-token)')
    .option('--session <name>', "the conversation to speak in (default: the token's own)")
    .option('--json', json);
}

function apiOf({ session, ...flags }: CommonOptions, env: CliEnvironment): ApiClient {
  return new ApiClient(findDeployment(flags, env), session);
}
