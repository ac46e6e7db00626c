import { Injectable } from '@nestjs/common';
import { commandHelp } from '#routing';
import { ParkAnswers } from '../parks/park-answers.service.js';
import { parkReply } from '../parks/park-reply.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

const ARGS = /^(\w+)\s+([^]+)$/;

@Injectable()
export class AnswerCommand implements ControlCommand {
  readonly name = 'answer';

  constructor(private readonly answers: ParkAnswers) {}

  async run({ envelope, args }: AskedCommand): Promise<ControlAnswer> {
    const [, code, text] = ARGS.exec(args) ?? [];
    if (code === undefined || text === undefined) return { reply: commandHelp(this.name) };
    return parkReply(code.toUpperCase(), await this.answers.answer(code, { decision: 'answered', text }, envelope));
  }
}
