import type { Hooks } from '#agent';
import type { Envelope, TurnRecord, Usage } from '#contracts';
import { isKnown, sequencesOf, type ClaimedTurn } from './claimed-turn.js';

/** Tells the hooks what happens to a turn outside of its loop (TU-3). */
export class TurnObservers {
  constructor(private readonly hooks: Hooks) {}

  /** A takeover is no new message. A process that dies before the first step is not noticed: then it is told twice. */
  began(turn: ClaimedTurn): void {
    if (isKnown(turn)) return;
    const [{ tenant, session, agent }] = turn.envelopes;
    if (sequencesOf(turn).includes(1)) this.hooks.observe('session_start', { tenant, session, agent });
    this.received(turn.envelopes);
  }

  received(envelopes: readonly Envelope[]): void {
    for (const { tenant, session, agent, id, target, sender, text, at } of envelopes) {
      const message = { message: id, channel: target.channel, sender: sender.id, text, at };
      this.hooks.observe('message_received', { tenant, session, agent, ...message });
    }
  }

  /** One epoch of the session is over, the next begins. @param reason the command that asked for it */
  epochBegan(turn: ClaimedTurn, reason: string): void {
    const [{ tenant, session, agent }] = turn.envelopes;
    this.hooks.observe('session_end', { tenant, session, agent, reason });
    this.hooks.observe('session_start', { tenant, session, agent });
  }

  ended(turn: ClaimedTurn, { outcome, reason }: TurnRecord, figures: { durationMs: number; steps: number; usage: Usage }): void {
    const [{ tenant, session }] = turn.envelopes;
    this.hooks.observe('turn_end', { tenant, session, turn: turn.id, outcome, reason, ...figures });
  }
}
