import { Injectable } from '@nestjs/common';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';
import { SessionFacts } from './session-facts.js';
import { epochText, queueText, runningText, usageText } from './status-text.js';

@Injectable()
export class StatusCommand implements ControlCommand {
  readonly name = 'status';

  constructor(private readonly facts: SessionFacts) {}

  async run({ envelope }: AskedCommand): Promise<ControlAnswer> {
    const status = await this.facts.session(envelope);
    const { model: chosen, thinking, send, verbose } = status.settings;
    const { model: standard } = this.facts.agent(envelope);
    const queueMode = this.facts.queueMode(envelope, status);
    const switches = [thinking && `thinking ${thinking}`, verbose && 'verbose', send === false && 'sends nothing'].filter(
      Boolean,
    );
    const lines = [
      `Agent ${envelope.agent}, model ${chosen ?? standard}${chosen ? ` (default ${standard})` : ''}${switches.map((each) => `, ${each}`).join('')}`,
      epochText(status),
      usageText(status),
      queueText(status, queueMode),
      runningText(status),
    ];
    return {
      reply: lines.filter((line) => line !== undefined).join('\n'),
      details: { ...status, queueMode, model: chosen ?? standard },
    };
  }
}
