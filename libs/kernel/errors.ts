/** The two families answer the only question a queue has: try again, or not. */

/** Worth trying again. `retryAfterMs` is a floor that the other side asked for. */
export class TransientError extends Error {
  override name = 'TransientError';
  constructor(
    readonly code: string,
    message: string,
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** No failure: what was asked for has no room yet. Ask again after `afterMs`; nothing counts against the work that waits. */
export class NotNowError extends Error {
  override name = 'NotNowError';
  constructor(
    readonly afterMs: number,
    what: string,
  ) {
    super(`${what} has no room for ${afterMs} ms`);
  }
}

/** Trying again cannot help. `code` is stable and goes into dead letters and metrics. */
export class TerminalError extends Error {
  override name = 'TerminalError';
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A newer claim owns this key: nothing more may be written or sent; the new owner does the work. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
  constructor(key: string, where: string) {
    super(`The claim on ${key} was lost (${where}); a newer activation owns it`);
  }
}

/** Nothing was accepted (Redis unreachable, full, or it did not confirm the write): answer 503, the sender repeats. */
export class UnavailableError extends TransientError {
  override name = 'UnavailableError';
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, 1000, options);
  }
}

/** The caller's input is wrong; the message says what, where, and what to do. */
export class InvalidInputError extends TerminalError {
  override name = 'InvalidInputError';
  constructor(message: string, options?: ErrorOptions) {
    super('invalid_input', message, options);
  }
}

/** One line for a log or a dead letter, whatever was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
