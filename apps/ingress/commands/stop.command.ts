import { Injectable } from '@nestjs/common';
import { MessageIntake, type Stopped } from '../messages/message-intake.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

@Injectable()
export class StopCommand implements ControlCommand {
  readonly name = 'stop';

  constructor(private readonly intake: MessageIntake) {}

  async run({ envelope: { session }, askedBy }: AskedCommand): Promise<ControlAnswer> {
    const cancelled = await this.intake.cancel(session, { what: 'all' }, askedBy);
    const { turn = null, parked, repeated: duplicate } = cancelled;
    const turnAnswers = turn !== null || parked.length > 0;
    return { reply: stopped(cancelled), details: { turn, parked, duplicate }, turnAnswers };
  }
}

function stopped({ turn, waiting, parked }: Stopped): string {
  if (turn !== undefined || parked.length > 0) return 'Stopping.';
  if (waiting === 0) return 'Nothing is running.';
  return `Nothing ran. ${waiting === 1 ? 'The message that waited is' : `The ${waiting} messages that waited are`} dropped.`;
}
