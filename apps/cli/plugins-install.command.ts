import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { readLock, removePlugin, stagePlugin, type StagedPlugin } from '#plugins';
import { CliError, EXIT } from './cli-error.js';
import { localConfig } from './local-config.js';
import type { Streams } from './streams.js';

interface InstallOptions {
  config?: string;
  yes?: true;
}

const NEXT = 'It counts once the processes have read their configuration again: POST /api/config/reload.\n';

/** `turnpike plugins install | update | remove`: the manifest is shown first, and nothing of a plugin runs (docs/plugins.md). */
export function pluginInstallCommands(plugins: Command, streams: Streams): void {
  const { stdout } = streams;
  const directoryOf = ({ config }: InstallOptions): string => localConfig(config).plugins.directory;

  options(
    plugins
      .command('install')
      .summary('install a plugin from a folder, a git repository or by npm')
      .argument('<source>', 'a folder, git+https://host/path.git#commit, or what npm takes: name, name@version'),
  ).action(async (source: string, given: InstallOptions) => {
    const staged = await stagePlugin(directoryOf(given), source);
    stdout.write(`${described(staged)}\n`);
    if (await agreed(staged, given, streams))
      stdout.write(`Installed ${staged.found.manifest.id} ${staged.locked.version}. ${NEXT}`);
  });

  options(
    plugins.command('update').summary('fetch a plugin anew from where it came').argument('<id>', 'as `plugins list` shows it'),
  ).action(async (id: string, given: InstallOptions) => {
    const directory = directoryOf(given);
    const { plugins: locked } = readLock(directory);
    const before = locked[id];
    if (!before)
      throw new CliError(EXIT.usage, `${id} was not installed; installed: ${Object.keys(locked).join(', ') || 'none'}`);
    const staged = await stagePlugin(directory, before.source);
    if (staged.found.manifest.id !== id) {
      staged.discard();
      throw new CliError(
        EXIT.error,
        `${before.source} is the plugin ${staged.found.manifest.id} now; remove ${id} and install that`,
      );
    }
    if (staged.locked.integrity === before.integrity) {
      staged.discard();
      stdout.write(`${id} ${before.version} is what ${before.source} is.\n`);
      return;
    }
    stdout.write(`${described(staged)}\n`);
    if (await agreed(staged, given, streams))
      stdout.write(`Updated ${id} from ${before.version} to ${staged.locked.version}. ${NEXT}`);
  });

  options(plugins.command('remove').summary('remove an installed plugin').argument('<id>')).action(
    (id: string, given: InstallOptions) => {
      removePlugin(directoryOf(given), id);
      stdout.write(`Removed ${id}. ${NEXT}`);
    },
  );
}

function options(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: TURNPIKE_CONFIG, else ./turnpike.json5)')
    .option('--yes', 'do not ask');
}

function described({ found: { manifest }, locked }: StagedPlugin): string {
  const { id, name = id, description, contracts, requiresPlugins } = manifest;
  const facts: [string, string][] = [
    ['Plugin', `${id} ${locked.version}  ${name}`],
    ['Says', description],
    ['From', locked.source],
    ['Commit', locked.commit ?? ''],
    ['Integrity', locked.integrity],
    ['Tools', contracts.tools.join(', ') || 'its manifest names none'],
    ['Requires', requiresPlugins.join(', ')],
  ];
  return facts
    .filter(([, text]) => text !== '')
    .map(([what, text]) => `${what.padEnd(11)}${text}`)
    .join('\n');
}

/** A plugin runs inside the runners with everything they may do: a person says yes to it. */
async function agreed(staged: StagedPlugin, { yes }: InstallOptions, { stdin, stderr }: Streams): Promise<boolean> {
  const answer = yes ? 'y' : stdin.isTTY ? await ask(stdin, stderr) : undefined;
  if (answer?.toLowerCase().startsWith('y')) {
    staged.install();
    return true;
  }
  staged.discard();
  if (answer === undefined) throw new CliError(EXIT.usage, 'Nothing was installed: nobody is here to ask. Add --yes.');
  return false;
}

async function ask(input: Streams['stdin'], output: Streams['stderr']): Promise<string> {
  const lines = createInterface({ input, output });
  try {
    return await lines.question('It will run inside the runners, with all that they may do. Install it? [y/N] ');
  } finally {
    lines.close();
  }
}
