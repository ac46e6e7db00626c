import type { OrderedName } from '#routing';
import { compactCommand } from './compact.command.js';
import { modelCommand } from './model.command.js';
import { newCommand, resetCommand } from './new.command.js';
import type { OrderedCommand } from './ordered-command.js';
import { thinkCommand } from './think.command.js';

/** One implementation of each ordered command of the table: the type asks for it. */
const ORDERED_COMMANDS: Readonly<Record<OrderedName, OrderedCommand>> = {
  new: newCommand,
  reset: resetCommand,
  compact: compactCommand,
  model: modelCommand,
  think: thinkCommand,
};

/** undefined: of a newer version that was taken back. */
export function orderedCommand(name: string): OrderedCommand | undefined {
  return Object.hasOwn(ORDERED_COMMANDS, name) ? ORDERED_COMMANDS[name as OrderedName] : undefined;
}
