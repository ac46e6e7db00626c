import type { Ending } from '../turn-commit.js';
import type { CommandResult, CommandRun } from './ordered-command.js';
import { orderedCommand } from './ordered-commands.js';

/** A command's turn: a commit of its own, with what it said. Throws as the command does. */
export async function obeyCommand(name: string, run: CommandRun): Promise<Ending & Pick<CommandResult, 'begun'>> {
  const command = orderedCommand(name);
  const { reply, ...rest }: CommandResult = command ? await command(run) : { reply: `This version knows no /${name}.` };
  return {
    outcome: 'command',
    messages: [{ role: 'assistant', text: reply, toolCalls: [] }],
    say: { mode: 'notice', text: reply },
    ...rest,
  };
}
