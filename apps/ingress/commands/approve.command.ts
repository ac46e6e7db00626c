import { Injectable } from '@nestjs/common';
import { readPairingCode } from '#access';
import { ConfigSource } from '#config';
import type { Envelope } from '#contracts';
import { assertNever } from '#kernel';
import { commandHelp } from '#routing';
import { ParkAnswers } from '../parks/park-answers.service.js';
import { parkReply } from '../parks/park-reply.js';
import { isFromOwner } from '../senders/owners.js';
import { PairingService } from '../senders/pairing.service.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';

const ARGS = /^(\w+)(?:\s+(yes|no))?(?:\s+([^]*))?$/i;

/** Yes where nothing else is said; what follows is the reason the model reads of a no. */
@Injectable()
export class ApproveCommand implements ControlCommand {
  readonly name = 'approve';

  constructor(
    private readonly answers: ParkAnswers,
    private readonly pairing: PairingService,
    private readonly config: ConfigSource,
  ) {}

  async run({ envelope, args }: AskedCommand): Promise<ControlAnswer> {
    const [, code, word = 'yes', text = ''] = ARGS.exec(args) ?? [];
    if (code === undefined) return { reply: commandHelp(this.name) };
    // A stranger's code is longer than that of a question. For those who may not approve strangers it is a code of nothing.
    if (readPairingCode(code) && isFromOwner(envelope, this.config.current)) return this.approveStranger(envelope, code);
    const decision = word.toLowerCase() === 'yes' ? 'approved' : 'denied';
    return parkReply(code.toUpperCase(), await this.answers.answer(code, { decision, text }, envelope));
  }

  private async approveStranger({ tenant, target, sender }: Envelope, code: string): Promise<ControlAnswer> {
    const approval = await this.pairing.approve(tenant, code, `${target.channel}:${sender.id}`);
    switch (approval.kind) {
      case 'approved':
        return {
          reply: `${approval.sender.sender} on ${approval.sender.channel} may write to me now.`,
          details: { ...approval.sender },
        };
      case 'unknown':
        return { reply: 'Nobody waits with this code. Codes are valid for an hour.' };
      case 'tooOften':
        return { reply: 'Too many codes were tried. Wait a minute.' };
      default:
        return assertNever(approval);
    }
  }
}
