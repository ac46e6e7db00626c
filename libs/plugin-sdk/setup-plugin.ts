import type { Static, TSchema } from 'typebox';

/** One thing that was looked at, and how it is. */
export interface SetupFinding {
  /** What holds, or does not: "the token is valid". */
  what: string;
  ok: boolean;
  /** What to do about it. */
  hint?: string;
}

export interface SetupContext<Config> {
  /** `plugins.entries.<id>.config`, checked against the manifest. */
  config: Config;
  /** The configured accounts of its channels, checked as well. */
  accounts: readonly { channel: string; account: string; config: Readonly<Record<string, unknown>> }[];
  /** Fires after 30 s. */
  signal: AbortSignal;
}

/** What the module that `turnpike.setupEntry` of package.json names exports as default. */
export interface SetupPlugin<Schema extends TSchema = TSchema> {
  id: string;
  configSchema?: Schema;
  /** Looks at what no schema can know, mostly by asking the other side: run by `turnpike plugins check`, and by nothing else. */
  check(context: SetupContext<Static<Schema>>): readonly SetupFinding[] | Promise<readonly SetupFinding[]>;
}

/**
 * The setup part of a plugin: a module apart from the one that runs, so that it can be asked before the plugin is enabled. What a
 * plugin needs at all its manifest says; this tells whether what it was given works.
 */
export function defineSetupPluginEntry<Schema extends TSchema = TSchema>(plugin: SetupPlugin<Schema>): SetupPlugin<Schema> {
  return plugin;
}
