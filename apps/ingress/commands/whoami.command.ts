import { Injectable } from '@nestjs/common';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

@Injectable()
export class WhoamiCommand implements ControlCommand {
  readonly name = 'whoami';

  run({ envelope: { sender, session, agent, target } }: AskedCommand): ControlAnswer {
    const { channel, account } = target;
    const details = { sender: sender.id, channel, account, agent };
    return { reply: `You are ${sender.id} on ${channel} (${account}).\nAgent: ${agent}\nSession: ${session}`, details };
  }
}
