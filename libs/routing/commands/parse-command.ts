import { COMMANDS, type CommandName, type CommandSpec } from './command-table.js';

export interface ParsedCommand {
  name: CommandName;
  /** What follows the name, trimmed. */
  args: string;
  /** Somebody was named behind the command (`/stop@a_bot`): in a group it may be meant for another bot. */
  addressed: boolean;
}

const COMMAND = /^\/([a-z][a-z-]*)(@\w+)?(?:(?::\s*|\s+)([^]*))?$/i;

const byWord = new Map<string, CommandName>();
const byPhrase = new Map<string, CommandName>();
for (const name of commandNames()) {
  for (const word of [name, ...(specOf(name).aliases ?? [])]) byWord.set(word, name);
  for (const phrase of specOf(name).phrases ?? []) byPhrase.set(phrase, name);
}

/** undefined: an ordinary message. So is a `/word` that is no command, and a sentence that only begins with one. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const trimmed = text.trim();
  const spoken = byPhrase.get(trimmed);
  if (spoken) return { name: spoken, args: '', addressed: false };
  const [, word = '', addressee, rest = ''] = COMMAND.exec(trimmed) ?? [];
  const name = byWord.get(word.toLowerCase());
  const args = rest.trim();
  if (!name || wordsOf(args) > specOf(name).words) return undefined;
  return { name, args, addressed: addressee !== undefined };
}

export function commandNames(): CommandName[] {
  return Object.keys(COMMANDS) as CommandName[];
}

export function specOf(name: CommandName): CommandSpec {
  return COMMANDS[name];
}

function wordsOf(args: string): number {
  return args === '' ? 0 : args.split(/\s+/).length;
}
