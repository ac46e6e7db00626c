import { Injectable } from '@nestjs/common';
import { costOf } from '#contracts';
import { UsageAccount } from '#limits';
import { Sessions } from '#sessions';
import { RedisCalls } from '../http/redis-calls.js';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';
import { costText, usageText } from './status-text.js';

@Injectable()
export class UsageCommand implements ControlCommand {
  readonly name = 'usage';

  constructor(
    private readonly sessions: Sessions,
    private readonly account: UsageAccount,
    private readonly redis: RedisCalls,
  ) {}

  async run({ envelope }: AskedCommand): Promise<ControlAnswer> {
    const { session } = envelope;
    const read = () =>
      Promise.all([this.sessions.state(session), this.sessions.transcript(session, 1), this.account.today(envelope)]);
    const [state, [turn], { session: today }] = await this.redis.within(read);
    const last = turn?.usage && { ...turn.usage, cost: costOf(turn.spent ?? []) };
    const lines = [
      usageText(state),
      last ? `Last turn: ${last.inputTokens} in, ${last.outputTokens} out${costText(last)}` : 'Last turn: none counted',
      `Today (UTC): ${today.tokens} tokens${costText(today)}`,
    ];
    return {
      reply: lines.join('\n'),
      details: { session: { ...state.usage, cost: state.cost }, lastTurn: last ?? null, today },
    };
  }
}
