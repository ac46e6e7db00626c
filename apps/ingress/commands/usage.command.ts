import { Injectable } from '@nestjs/common';
import { Sessions } from '#sessions';
import { RedisCalls } from '../http/redis-calls.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';
import { usageText } from './status-text.js';

@Injectable()
export class UsageCommand implements ControlCommand {
  readonly name = 'usage';

  constructor(
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  async run({ envelope: { session } }: AskedCommand): Promise<ControlAnswer> {
    const read = () => Promise.all([this.sessions.state(session), this.sessions.transcript(session, 1)]);
    const [state, [turn]] = await this.redis.within(read);
    const last = turn?.usage;
    const lastText = last ? `Last turn: ${last.inputTokens} in, ${last.outputTokens} out` : 'Last turn: none counted';
    return { reply: `${usageText(state)}\n${lastText}`, details: { session: state.usage, lastTurn: last ?? null } };
  }
}
