/** One thing that is wrong, in words for the person who writes the configuration. Holds no secret. */
export interface ConfigProblem {
  /** Dotted path of the option, or the name of a file or variable. */
  path: string;
  message: string;
}

/** Everything that is wrong at once, so that one edit can repair it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ path, message }) => `  ${path}: ${message}`);
    super(`The configuration cannot be used:\n${lines.join('\n')}\nEvery option is explained in docs/configuration.md.`);
  }
}
