import { Logger as NestLog } from '@nestjs/common';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConfigError,
  ConfigSource,
  loadConfig,
  pluginAccountsOf,
  readTracing,
  secretValues,
  type Config,
  type ShutdownConfig,
} from '#config';
import { describeError } from '#kernel';
import { planChannels, pluginProblems } from '#plugins';
import { createLogger, Redactor, startTracing, traceIds, type Logger } from '#telemetry';
import { exitOnUnknownErrors } from './fatal-errors.js';
import { NestLogger } from './nest-logger.js';
import { version } from './version.js';

/** EX_CONFIG of sysexits.h: starting again does not help. */
const EXIT_CONFIG = 78;
/** A collector that is away holds nobody up. */
const LAST_SPANS_MS = 2000;

export interface RunningApp {
  /**
   * Claims nothing more, then finishes its work or hands it back. `force` fires when the grace is over: close at once.
   * Rejects only for a bug.
   */
  stop(force: AbortSignal): Promise<void>;
}

export interface AppContext {
  source: ConfigSource;
  logger: Logger;
  /** Knows the secrets of the configuration. */
  redactor: Redactor;
  /** Reads the configuration again and logs what came of it; for a config-changed message. */
  reload(): void;
}

export interface AppOptions {
  name: string;
  /** See loadConfig. */
  standalone?: boolean;
}

/**
 * The life of a process. Starting: a configuration that cannot be used is printed for people, exit 78; any other failure is
 * logged, exit 1. Running: SIGTERM or SIGINT stops it within shutdown.graceMs + shutdown.forceMs, exit 0; a second one ends it
 * at once, exit 128 + signal. An error nobody caught: exit 1.
 */
export async function runApp(
  { name, standalone = false }: AppOptions,
  start: (context: AppContext) => Promise<RunningApp>,
): Promise<void> {
  const source = openConfig(standalone);
  const { level } = source.current.log;
  const redactor = new Redactor(secretValues(source.current));
  source.onChange((next) => redactor.learn(secretValues(next)));
  const { logLevel, ...traces } = readTracing();
  const { logger, setLevel } = createLogger({
    level,
    name,
    redactor,
    fields: traces.on ? traceIds : undefined,
  });
  source.onChange(({ log }) => setLevel(log.level));
  NestLog.overrideLogger(new NestLogger(logger));
  exitOnUnknownErrors(logger);
  const signal = firstSignal();
  const stopTracing = await startTracing(traces, { name, version: version(), logLevel }, logger);
  try {
    const starting = start({ source, logger, redactor, reload: () => reloadConfig(source, logger) });
    const ready = starting.then(() => logger.info('Ready'));
    // A signal counts while the app is still starting, too: Redis may be away.
    const received = await Promise.race([signal, ready.then(() => signal)]);
    logger.info({ signal: received }, 'Stopping');
    await stopWithin(async (force) => (await starting).stop(force), source.current.shutdown, logger);
    await Promise.race([stopTracing(), sleep(LAST_SPANS_MS)]);
    process.exit(0);
  } catch (error) {
    logger.fatal({ err: error }, 'The process ends');
    process.exit(1);
  }
}

function openConfig(standalone: boolean): ConfigSource {
  try {
    return new ConfigSource(() => checkedConfig(loadConfig({ argv: process.argv.slice(2), standalone })));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(EXIT_CONFIG);
  }
}

/** What only the manifests of plugins know (TO-3). */
function checkedConfig(config: Config): Config {
  const { plugins } = config;
  const problems = [...pluginProblems(plugins), ...planChannels(plugins, pluginAccountsOf(config)).problems];
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let seen = false;
    const receive = (signal: NodeJS.Signals): void => {
      if (seen) process.exit(128 + constants.signals[signal]);
      seen = true;
      resolve(signal);
    };
    process.on('SIGTERM', receive).on('SIGINT', receive);
  });
}

async function stopWithin(stop: RunningApp['stop'], { graceMs, forceMs }: ShutdownConfig, logger: Logger): Promise<void> {
  const force = new AbortController();
  const stopped = stop(force.signal).then(() => true);
  if (await Promise.race([stopped, sleep(graceMs, false)])) return;
  logger.warn({ graceMs }, 'The grace is over: what still runs is resumed elsewhere');
  force.abort(new Error('The grace of the shutdown is over'));
  if (await Promise.race([stopped, sleep(forceMs, false)])) return;
  logger.error({ forceMs }, 'Connections did not close in time');
}

/** Reads the configuration again; one that cannot be used changes nothing and is logged. */
export function reloadConfig(source: ConfigSource, logger: Logger): void {
  try {
    const { needRestart } = source.reload();
    logger.info({ needRestart }, 'Configuration read again');
  } catch (error) {
    logger.error({ error: describeError(error) }, 'Configuration not changed: the new one cannot be used');
  }
}
