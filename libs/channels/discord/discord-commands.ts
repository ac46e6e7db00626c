import { ApplicationCommandOptionType, type RESTPutAPIApplicationCommandsJSONBody } from 'discord-api-types/v10';
import { systemClock, TerminalError } from '#kernel';
import { TimeBudget } from '../time-budget.js';
import { DiscordApi } from './discord-api.js';
import { ASK } from './interaction-event.js';

/** A command that any chat understands. */
interface ChatCommand {
  name: string;
  /** One line. */
  help: string;
  /** What may follow the name; '' for nothing. */
  syntax: string;
}

interface Application {
  applicationId: string;
  botToken: string;
  apiRoot: string;
}

/** https://docs.discord.com/developers/interactions/application-commands: of a description and of an option's. */
const LONGEST = 100;
const TIMEOUT_MS = 15_000;

/** What people are offered when they type a slash: `/ask` for a message, and each command under its name. */
export function discordCommands(commands: readonly ChatCommand[]): RESTPutAPIApplicationCommandsJSONBody {
  const ask = { name: ASK, description: 'Ask the agent', options: [words('message', 'What you want to say', true)] };
  return [
    ask,
    ...commands.map(({ name, help, syntax }) => ({
      name,
      description: help.slice(0, LONGEST),
      ...(syntax && { options: [words('words', syntax, false)] }),
    })),
  ];
}

function words(name: string, description: string, required: boolean) {
  return { type: ApplicationCommandOptionType.String as const, name, description: description.slice(0, LONGEST), required };
}

/**
 * Makes these the commands of the application, instead of those it had: done again it changes nothing.
 * @param guild of one server, where they are there at once; everywhere when left out
 * @throws TerminalError `not_registered` says what Discord said
 */
export async function registerDiscordCommands(
  { applicationId, botToken, apiRoot }: Application,
  commands: RESTPutAPIApplicationCommandsJSONBody,
  guild?: string,
): Promise<void> {
  const api = new DiscordApi({ apiRoot, botToken, clock: systemClock });
  const where = guild === undefined ? [] : ['guilds', encodeURIComponent(guild)];
  const path = ['applications', applicationId, ...where, 'commands'].join('/');
  const budget = new TimeBudget(TIMEOUT_MS, systemClock);
  const called = await api.call({ method: 'PUT', path, json: commands }, budget, AbortSignal.timeout(TIMEOUT_MS));
  if (!called.ok) throw new TerminalError('not_registered', `Discord did not take the commands: ${called.outcome.reason}`);
}
