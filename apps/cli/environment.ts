export interface CliEnvironment {
  url: string | undefined;
  token: string | undefined;
  /** https://no-color.org: present and not empty. */
  noColor: boolean;
}

/** All that the command line reads from the environment. An empty variable counts as unset. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): CliEnvironment {
  return { url: env.TURNPIKE_URL || undefined, token: env.TURNPIKE_TOKEN || undefined, noColor: Boolean(env.NO_COLOR) };
}
