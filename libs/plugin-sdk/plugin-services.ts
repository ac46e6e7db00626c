/** The conversation a tool runs in. Outside of a call, every member throws. */
export interface PluginSession {
  /** Sends to the user now, by the fenced way all sends take: order holds, and a resumed call does not send twice. */
  reply(text: string): Promise<void>;
  /** What an earlier turn, or an earlier step of this one, has set; undefined when nothing. */
  get(key: string): Promise<unknown>;
  /** Journalled: later steps of the turn see it at once, later turns once this one has ended well. `undefined` removes. JSON, <= 16 kB. */
  set(key: string, value: unknown): Promise<void>;
}

/** Small JSON values, <= 64 kB each, shared by every process. Not bound to a turn: what is written stays written. */
export interface PluginStorage {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  keys(): Promise<string[]>;
}

export interface Completion {
  /** provider/model or an alias; default: the model of the agent that the tool runs for. */
  model?: string;
  system?: string;
  prompt: string;
}

/** Model calls within the budgets and limits that turns have. */
export interface PluginModels {
  /** @returns the text of the answer. Throws what the provider throws, after the failover of the configuration. */
  complete(completion: Completion, signal?: AbortSignal): Promise<string>;
}

/** One JSON line each on the log of the process, with the plugin's id. */
export interface PluginLogger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** What a user's `/name args` asks for, in place of the model. */
export interface PluginCommand {
  /** Without the slash. Commands of Turnpike's own come first. */
  name: string;
  description: string;
  /** Called again when its process dies in between. @returns the answer; it is kept in the conversation */
  handler(call: CommandCall): string | Promise<string>;
}

export interface CommandCall {
  /** Behind the name; '' for nothing. */
  args: string;
  tenant: string;
  sessionKey: string;
  senderId: string;
  /** Of this plugin and this tenant. */
  storage: PluginStorage;
}

/** Something that runs as long as the process does. */
export interface PluginService {
  id: string;
  start(): void | Promise<void>;
  stop?(): void | Promise<void>;
}
