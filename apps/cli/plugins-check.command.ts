import type { Command } from 'commander';
import { pluginAccountsOf, secretValues, type Config } from '#config';
import { describeError } from '#kernel';
import { checkSetup, planChannels, planPlugins, type PlannedPlugin } from '#plugins';
import { Redactor } from '#telemetry';
import { CliError, EXIT } from './cli-error.js';
import { localConfig } from './local-config.js';
import type { Streams } from './streams.js';

interface CheckOptions {
  config?: string;
  json?: true;
}

interface Finding {
  what: string;
  ok: boolean;
  hint?: string | undefined;
}

/** `turnpike plugins check`: the configuration against the manifest, then what the setup module of the plugin finds. */
export function pluginCheckCommand(plugins: Command, { stdout }: Streams): void {
  plugins
    .command('check')
    .summary('whether what a plugin was given works')
    .description(
      'Checks the configuration of a plugin, and runs its setup module, if it has one. Exit code 1 when something does not hold.',
    )
    .argument('<id>', 'as `plugins list` shows it')
    .option('--config <file>', 'configuration file (default: TURNPIKE_CONFIG, else ./turnpike.json5)')
    .option('--json', 'print one line of JSON')
    .action(async (id: string, { config: file, json }: CheckOptions) => {
      const config = localConfig(file);
      const redactor = new Redactor(secretValues(config));
      const findings = await findingsOf(config, id);
      const text = json ? JSON.stringify({ id, findings }) : findings.map(shown).join('\n');
      stdout.write(`${redactor.clean(text)}\n`);
      if (findings.some(({ ok }) => !ok)) throw new CliError(EXIT.error, `${id} does not work yet.`);
    });
}

async function findingsOf(config: Config, id: string): Promise<Finding[]> {
  const { plugins } = planPlugins(config.plugins);
  const plugin = plugins.find(({ manifest }) => manifest.id === id);
  if (!plugin) {
    const known = plugins.map(({ manifest }) => manifest.id).join(', ');
    throw new CliError(EXIT.usage, `There is no plugin "${id}". Found: ${known || 'none'}.`);
  }
  const channels = planChannels(
    config.plugins,
    pluginAccountsOf(config).filter(({ channel }) => plugin.manifest.channels.includes(channel)),
  );
  const wrong = [...plugin.problems, ...channels.problems].map(({ path, message }) => ({
    what: `${path}: ${message}`,
    ok: false,
  }));
  if (wrong.length > 0) return wrong;
  const accounts = channels.accounts.map(({ account: { channel, account }, config: own }) => ({ channel, account, config: own }));
  return [{ what: 'the configuration fits the manifest', ok: true }, ...(await askedFor(plugin, accounts))];
}

async function askedFor(plugin: PlannedPlugin, accounts: Parameters<typeof checkSetup>[1]): Promise<Finding[]> {
  try {
    return (await checkSetup(plugin, accounts)) ?? [];
  } catch (error) {
    return [{ what: 'its setup module runs', ok: false, hint: describeError(error) }];
  }
}

function shown({ what, ok, hint }: Finding): string {
  return `${ok ? 'yes' : 'NO '}  ${what}${hint === undefined ? '' : `\n     ${hint}`}`;
}
