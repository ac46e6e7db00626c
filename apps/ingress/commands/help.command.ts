import { Injectable } from '@nestjs/common';
import { commandHelp, parseCommand } from '#routing';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

@Injectable()
export class HelpCommand implements ControlCommand {
  readonly name = 'help';

  run({ args }: AskedCommand): ControlAnswer {
    const wanted = args === '' ? undefined : parseCommand(args.replace(/^\/?/, '/'));
    if (args !== '' && !wanted) return { reply: `There is no command ${args}. /help lists them all.` };
    return { reply: commandHelp(wanted?.name) };
  }
}
