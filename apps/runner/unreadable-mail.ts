import type { TurnRecord } from '#contracts';
import type { Platform } from '#host';
import type { MessageId } from '#kernel';
import type { TakenMessage, TakenTurn } from '#lanes';
import { ClaimedSession } from '#sessions';
import type { ActivationWork } from './activation-work.js';

const REASON = 'unreadable';

/** Messages whose envelope says nothing: something that is no Turnpike wrote them into the mailbox. */
export class UnreadableMail extends Error {
  constructor(readonly messages: readonly TakenMessage[]) {
    super(`${messages.length} messages hold no envelope`);
  }

  get ids(): MessageId[] {
    return this.messages.map(({ id }) => id);
  }
}

/**
 * Makes dead letters of them; whoever takes next gets the rest of the turn. When nothing is left its journal ends here, as the
 * turn's only trace in the transcript.
 * @returns those of which there is nothing left to bury
 */
export async function buryUnreadable(
  { messages: unreadable, ids }: UnreadableMail,
  { mailbox, claim }: ActivationWork,
  taken: TakenTurn,
  platform: Platform,
): Promise<MessageId[]> {
  const live = taken.messages.filter(({ flag }) => flag !== 'seen');
  const [first] = taken.journal;
  if (live.length === unreadable.length && first?.k === 'open') {
    const record = recordOf(first.turn, unreadable);
    await new ClaimedSession(platform.work, platform.keyspace, claim).commit({
      turn: first.turn,
      ids,
      record,
      rows: [],
      lastEvent: undefined,
    });
  }
  const gone: MessageId[] = [];
  for (const id of ids) if (!(await mailbox.bury(id, REASON))) gone.push(id);
  return gone;
}

function recordOf(turn: string, messages: readonly TakenMessage[]): TurnRecord {
  const inputs = messages.map(({ id, seq }) => ({ id, seq, sender: 'unknown', at: 0 }));
  return { v: 1, turn, outcome: 'dead', reason: REASON, inputs, messages: [], at: 0 };
}
