export { type CommandName, type CommandSpec, type OrderedName } from './command-table.js';
export { commandHelp } from './command-help.js';
export { commandNames, parseCommand, specOf, type ParsedCommand } from './parse-command.js';
export { parkButtons, parkNotice } from './park-notice.js';
