import { Inject, Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import type { Park } from '#contracts';
import { checkpoint, describeError } from '#kernel';
import { LOGGER, Platform } from '#host';
import { parkButtons, parkNotice } from '#routing';
import { answerEnvelope, ClaimedSession, parkCode, type ParkedTurn } from '#sessions';
import { Metrics, type Logger } from '#telemetry';
import { messageIds, takenUp, type ClaimedTurn } from './claimed-turn.js';
import type { TurnAttempt } from './turn-attempt.js';
import type { Ending } from './turn-commit.js';

/** An answer that was accepted in time finds its turn, however long the fleet was down then. */
const KEPT_BEYOND_TIMEOUT_MS = 7 * 86_400_000;
const NOBODY = { id: 'timeout', name: null, isBot: true };

/** Lays turns aside while a person is asked, and takes them up again with the answer (TU-7). */
@Injectable()
export class ParkedTurns {
  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The timeout is set first: a turn that is parked has one, whatever dies; one that finds no park is acknowledged. */
  async layAside(turn: ClaimedTurn, attempt: TurnAttempt, park: Park): Promise<Ending> {
    const { timeoutMs } = this.source.current.tools.approval;
    const { id, envelopes, inputs } = turn;
    const code = parkCode(id, park);
    const parked: ParkedTurn = {
      k: 'parked',
      at: 0,
      timeoutMs,
      code,
      turn: id,
      ...park,
      envelopes: [...envelopes],
      inputs: [...inputs],
    };
    const expired = answerEnvelope(parked, { decision: 'expired', text: '', sender: NOBODY, at: Date.now() + timeoutMs });
    const timer = { session: turn.claim.key, id: expired.id, envelope: JSON.stringify(expired) };
    await this.platform.timers.set(timer, timeoutMs);
    checkpoint('runner.park-timed');
    return {
      outcome: 'parked',
      messages: attempt.progress.waiting(waitingText(parked)),
      say: { mode: 'notice', text: parkNotice(parked), buttons: parkButtons(parked) },
      park: { parked, keptMs: timeoutMs + KEPT_BEYOND_TIMEOUT_MS },
    };
  }

  laidAside(turn: ClaimedTurn, { tool, kind }: ParkedTurn): void {
    this.metrics.parks.inc({ kind });
    this.logger.info({ turnId: turn.id, session: turn.claim.key, tool, kind }, 'Turn parked');
  }

  /**
   * The turn that an answer belongs to; any other turn as it is. undefined: nothing waits for this answer, and it is
   * acknowledged. Throws LeaseLostError.
   */
  async takeUp(turn: ClaimedTurn): Promise<ClaimedTurn | undefined> {
    const [envelope] = turn.envelopes;
    if (!envelope.answer) return turn;
    const { code, ...how } = envelope.answer;
    const session = new ClaimedSession(this.platform.work, this.platform.keyspace, turn.claim);
    const journal = await session.resume(code, { k: 'resolved', ...how, text: envelope.text });
    checkpoint('runner.park-resumed');
    if (journal) {
      if (how.decision !== 'expired') this.clearTimer(turn);
      return takenUp(turn, journal);
    }
    await session.commit({ turn: turn.id, ids: messageIds(turn), record: undefined, rows: [], lastEvent: undefined });
    return undefined;
  }

  /** Left where it is, it would be acknowledged when it fires. */
  private clearTimer({ claim, envelopes }: ClaimedTurn): void {
    this.platform.timers
      .clear(claim.key, envelopes[0].id)
      .catch((error: unknown) => this.logger.debug({ error: describeError(error) }, 'Timer left to fire'));
  }
}

/** What the model reads in other turns as the result of a call that waits. */
function waitingText({ code, kind }: ParkedTurn): string {
  return `Waiting for the user's ${kind === 'approval' ? 'approval' : 'answer'} (code ${code}).`;
}
