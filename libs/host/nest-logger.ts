import type { LoggerService } from '@nestjs/common';
import type { Logger } from '#telemetry';

/** Nest's own lines, as JSON like all others. The last word Nest adds is the class that speaks. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  /** What the framework does at every start is of interest to its debuggers only. */
  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    if (message instanceof Error) this.logger[level]({ context, err: message }, message.message);
    else this.logger[level]({ context }, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
