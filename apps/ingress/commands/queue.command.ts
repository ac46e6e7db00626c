import { Injectable } from '@nestjs/common';
import { queueModeNameSchema, type QueueMode } from '#contracts';
import { commandHelp } from '#routing';
import { SettingsService } from './settings.service.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';
import { SessionFacts } from './session-facts.js';
import { queueText } from './status-text.js';

/** Words that give the choice back to the configuration. */
const BACK = new Set(['default', 'reset']);

@Injectable()
export class QueueCommand implements ControlCommand {
  readonly name = 'queue';

  constructor(
    private readonly facts: SessionFacts,
    private readonly settings: SettingsService,
  ) {}

  async run(asked: AskedCommand): Promise<ControlAnswer> {
    const { envelope, args } = asked;
    const word = args.toLowerCase();
    const mode = queueModeNameSchema.safeParse(word).data;
    if (word !== '' && !mode && !BACK.has(word)) return { reply: commandHelp(this.name) };
    if (word !== '') await this.settings.change(asked, { queueMode: mode ?? null });
    const status = await this.facts.session(envelope);
    const queueMode: QueueMode = this.facts.queueMode(envelope, status);
    return { reply: queueText(status, queueMode), details: { queueMode, waiting: status.waiting } };
  }
}
