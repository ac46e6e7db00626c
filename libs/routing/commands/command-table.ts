export interface CommandSpec {
  aliases?: readonly string[];
  /** Whole messages that mean the same without a slash. */
  phrases?: readonly string[];
  /** `control` acts at once, past the mailbox, also while a turn runs; `ordered` keeps its place among the messages. */
  kind: 'control' | 'ordered';
  /** What may follow the name, as help writes it; '' for nothing. */
  syntax: string;
  /** Words that may follow; a text with more is an ordinary message. */
  words: number;
  /** `anyone` who is heard at all, or an owner only. */
  who: 'anyone' | 'owner';
  /** One line. */
  help: string;
}

const ANY_TEXT = Infinity;

/** Every command there is (RT-4). /help and docs/commands.md are made of it; each has exactly one implementation. */
export const COMMANDS = {
  help: { ...control('Lists the commands, or explains one.'), aliases: ['commands'], syntax: '[command]', words: 1 },
  status: control('Shows model, usage, what runs and what waits.'),
  stop: { ...control('Stops the running turn and drops every message that waits.'), phrases: ['停', '停止'] },
  queue: {
    ...control('Shows what waits, or sets what a message does that comes while a turn runs.'),
    syntax: '[steer|followup|collect|interrupt|reject|default]',
    words: 1,
  },
  approve: {
    ...control('Allows or refuses what the agent asked about under CODE; owners let a stranger in with it.'),
    syntax: 'CODE [yes|no] [REASON]',
    words: ANY_TEXT,
  },
  answer: { ...control('Answers what the agent asked under CODE.'), syntax: 'CODE TEXT', words: ANY_TEXT },
  steer: { ...control('Gives the running turn a message at its next step.'), aliases: ['tell'], syntax: 'TEXT', words: ANY_TEXT },
  usage: control('Shows the tokens and the cost of this session, of its last turn and of today.'),
  models: control('Lists the models that /model takes.'),
  tools: control('Lists the tools of the agent.'),
  whoami: { ...control('Shows who you are to the agent, and the session.'), aliases: ['id'] },
  verbose: { ...control('Shows the tools a turn calls while it runs.'), aliases: ['v'], ...toggle() },
  reasoning: { ...control('Show what the model thinks before it answers, or not.'), ...toggle() },
  send: { ...control('off: turns run and are kept, and nothing of them is sent.'), ...toggle(), who: 'owner' },
  activation: {
    ...control('In groups: answer when mentioned, or always.'),
    syntax: '[mention|always|default]',
    words: 1,
    who: 'owner',
  },
  new: { ...ordered('Begins a new conversation; the old one is archived.'), syntax: '[provider/model]', words: 1 },
  reset: ordered('Begins a new conversation with the same model.'),
  compact: {
    ...ordered('Makes a summary of all but the last turns, about what you name above all.'),
    syntax: '[focus]',
    words: ANY_TEXT,
  },
  model: {
    ...ordered('Shows the model, or sets it for this session from the next message on.'),
    syntax: '[provider/model|default]',
    words: 1,
  },
  think: {
    ...ordered('Shows or sets how much the model thinks, from the next message on.'),
    aliases: ['t', 'thinking'],
    syntax: '[off|minimal|low|medium|high|xhigh|max|adaptive|default]',
    words: 1,
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;
/** The runner has an implementation of each. */
export type OrderedName = {
  [Name in CommandName]: (typeof COMMANDS)[Name]['kind'] extends 'ordered' ? Name : never;
}[CommandName];

function control(help: string) {
  return { kind: 'control', syntax: '', words: 0, who: 'anyone', help } as const;
}

function ordered(help: string) {
  return { kind: 'ordered', syntax: '', words: 0, who: 'anyone', help } as const;
}

function toggle() {
  return { syntax: '[on|off]', words: 1 } as const;
}
