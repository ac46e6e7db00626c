/** sysexits.h where it has a word for it. */
export const EXIT = { ok: 0, error: 1, usage: 2, unavailable: 69, auth: 77 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command: the message is all the user reads, so it says what to do. */
export class CliError extends Error {
  override name = 'CliError';
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
