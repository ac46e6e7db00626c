import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { Redactor } from './redactor.js';

export type Logger = PinoLogger;
type LogLevel = pino.LevelWithSilent;

export interface LoggerOptions {
  level: LogLevel;
  /** The process: ingress, runner, dispatcher ... */
  name: string;
  /** Goes over every line, wherever it comes from; default: there are no secrets. */
  redactor?: Redactor;
  /** Of where a line is written from, for every line; default: none. */
  fields?: (() => Record<string, unknown>) | undefined;
  /** Default: stdout. */
  destination?: DestinationStream;
}

export interface Logging {
  logger: Logger;
  /** Counts at once, for child loggers that exist already too. */
  setLevel: (level: LogLevel) => void;
}

const CENSOR = '***';
const SECRET_FIELDS = [
  'token',
  'botToken',
  'secretToken',
  'adminToken',
  'apiKey',
  'secret',
  'password',
  'authorization',
  'cookie',
];
/** A field at the top of a line, and inside one object of it. */
const REDACT = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.headers.${field}`]);

/** JSON lines on stdout with time (ISO 8601, UTC), level, name and msg. */
export function createLogger({ level, name, redactor = new Redactor(), fields, destination }: LoggerOptions): Logging {
  // pino copies the level into each child, so a later change would not reach them: the gate is here instead.
  let threshold = levelValue(level);
  const options = {
    level: 'trace',
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACT, censor: CENSOR },
    ...(fields && { mixin: fields }),
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn, value: number): void {
        if (value >= threshold) method.apply(this, args);
      },
      streamWrite: (line: string) => redactor.clean(line),
    },
  };
  const logger = pino(options, destination ?? standardOutput());
  return { logger, setLevel: (next) => (threshold = levelValue(next)) };
}

/**
 * The lines of one tick leave in one write: with a thousand turns a second writing costs more than formatting. A process that is killed
 * takes the lines of its last tick with it, no others. Where it can't be written to any more (a closed terminal, a full disk) the work
 * goes on without lines: pino would retry for ever.
 */
function standardOutput(): DestinationStream & { flushSync: () => void } {
  const stream = pino.destination({ dest: 1, sync: true });
  stream.on('error', () => (stream.write = () => true));
  let lines = '';
  let due: NodeJS.Immediate | undefined;
  const flushSync = (): void => {
    due = undefined;
    const written = lines;
    lines = '';
    if (written) stream.write(written);
  };
  process.once('exit', flushSync);
  const write = (line: string): void => {
    lines += line;
    due ??= setImmediate(flushSync);
  };
  return { write, flushSync };
}

/** `silent` has no value: nothing reaches it. */
function levelValue(level: LogLevel): number {
  return pino.levels.values[level] ?? Infinity;
}
