import { commandNames, specOf, type CommandName } from '#routing';
import type { ControlCommand } from './control-command.js';

/** The implementation of each control command of the table, found by name. */
export class ControlRegistry {
  private readonly byName = new Map<CommandName, ControlCommand>();

  /** Throws, and so stops the start, when a control command has no implementation or two. */
  constructor(commands: readonly ControlCommand[]) {
    for (const command of commands) {
      if (this.byName.has(command.name)) throw new Error(`Two classes implement /${command.name}: remove one.`);
      if (specOf(command.name).kind !== 'control')
        throw new Error(`/${command.name} is no control command: the runner executes it.`);
      this.byName.set(command.name, command);
    }
    const missing = commandNames().filter((name) => specOf(name).kind === 'control' && !this.byName.has(name));
    if (missing.length > 0)
      throw new Error(`No class implements ${missing.map((name) => `/${name}`).join(', ')}: add it to control-commands.ts.`);
  }

  find(name: CommandName): ControlCommand {
    const command = this.byName.get(name);
    if (!command) throw new Error(`/${name} is no control command`);
    return command;
  }
}
