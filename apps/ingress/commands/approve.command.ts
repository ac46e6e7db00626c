import { Injectable } from '@nestjs/common';
import { commandHelp } from '#routing';
import { ParkAnswers } from '../parks/park-answers.service.js';
import { parkReply } from '../parks/park-reply.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

const ARGS = /^(\w+)(?:\s+(yes|no))?(?:\s+([^]*))?$/i;

/** Yes where nothing else is said; what follows is the reason the model reads of a no. */
@Injectable()
export class ApproveCommand implements ControlCommand {
  readonly name = 'approve';

  constructor(private readonly answers: ParkAnswers) {}

  async run({ envelope, args }: AskedCommand): Promise<ControlAnswer> {
    const [, code, word = 'yes', text = ''] = ARGS.exec(args) ?? [];
    if (code === undefined) return { reply: commandHelp(this.name) };
    const decision = word.toLowerCase() === 'yes' ? 'approved' : 'denied';
    return parkReply(code.toUpperCase(), await this.answers.answer(code, { decision, text }, envelope));
  }
}
