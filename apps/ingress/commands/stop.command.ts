import { Injectable } from '@nestjs/common';
import type { Cancelled } from '#sessions';
import { MessageIntake } from '../messages/message-intake.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

@Injectable()
export class StopCommand implements ControlCommand {
  readonly name = 'stop';

  constructor(private readonly intake: MessageIntake) {}

  async run({ envelope: { session }, askedBy }: AskedCommand): Promise<ControlAnswer> {
    const cancelled = await this.intake.cancel(session, { what: 'all' }, askedBy);
    const { turn = null, repeated: duplicate } = cancelled;
    return { reply: stopped(cancelled), details: { turn, duplicate }, turnAnswers: turn !== null };
  }
}

function stopped({ turn, waiting }: Cancelled): string {
  if (turn !== undefined) return 'Stopping.';
  if (waiting === 0) return 'Nothing is running.';
  return `Nothing ran. ${waiting === 1 ? 'The message that waited is' : `The ${waiting} messages that waited are`} dropped.`;
}
