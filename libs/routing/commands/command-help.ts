import { commandNames, specOf } from './parse-command.js';
import type { CommandName } from './command-table.js';

/** One line for each command, or the one of `wanted`. */
export function commandHelp(wanted?: CommandName): string {
  const names = wanted ? [wanted] : commandNames();
  return names.map(helpLine).join('\n');
}

function helpLine(name: CommandName): string {
  const { aliases = [], phrases = [], syntax, who, help } = specOf(name);
  const words = [name, ...aliases].map((word) => `/${word}`);
  const others = [...words.slice(1), ...phrases];
  return [
    `${words[0]}${syntax && ` ${syntax}`}: ${help}`,
    others.length > 0 ? ` Also ${others.join(', ')}.` : '',
    who === 'owner' ? ' Owners only.' : '',
  ].join('');
}
