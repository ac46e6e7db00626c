import { Injectable } from '@nestjs/common';
import { commandHelp } from '#routing';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

@Injectable()
export class SteerCommand implements ControlCommand {
  readonly name = 'steer';

  run({ envelope, args }: AskedCommand): ControlAnswer {
    return args === '' ? { reply: commandHelp(this.name) } : { message: { ...envelope, text: args, queueMode: 'steer' } };
  }
}
