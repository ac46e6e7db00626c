import { Injectable } from '@nestjs/common';
import { ConfigSource, tenantConfig } from '#config';
import { TerminalError } from '#kernel';
import { UsageAccount } from '#limits';
import type { ClaimedTurn } from './claimed-turn.js';

const SCOPES = ['tenant', 'agent', 'session'] as const;

/** Who may begin a turn, by what was spent today (MO-5). */
@Injectable()
export class TurnBudgets {
  constructor(
    private readonly account: UsageAccount,
    private readonly source: ConfigSource,
  ) {}

  /**
   * Asked before the first model call of a turn: what has begun goes to its end. Turns that run at once may go over together,
   * each by what it costs. No budget, no round trip. Throws TerminalError('budget').
   */
  async check(turn: ClaimedTurn): Promise<void> {
    const [{ tenant }] = turn.envelopes;
    const budgets = tenantConfig(this.source.current, tenant)?.budgets;
    if (!budgets || turn.journal.some(({ k }) => k === 'answer')) return;
    if (!SCOPES.some((scope) => budgets[scope].tokensPerDay > 0 || budgets[scope].costPerDay > 0)) return;
    const today = await this.account.today(turn.envelopes[0]);
    for (const scope of SCOPES) {
      const { tokensPerDay, costPerDay } = budgets[scope];
      const { tokens, cost } = today[scope];
      if (tokensPerDay > 0 && tokens >= tokensPerDay) throw spent(scope, `${tokens} of ${tokensPerDay} tokens`);
      if (costPerDay > 0 && cost >= costPerDay) throw spent(scope, `${cost.toFixed(4)} of ${costPerDay}`);
    }
  }
}

function spent(scope: (typeof SCOPES)[number], used: string): TerminalError {
  return new TerminalError('budget', `Today's budget of this ${scope} is used up: ${used} (budgets.${scope})`);
}
