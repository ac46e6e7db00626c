import type { ChatMessage, JournalEntry } from '#contracts';
import type { Compaction } from './context/context-engine.js';
import { TurnLedger } from './turn-ledger.js';

const NO_RESULT = 'The turn was stopped before this call had a result.';

/** How far a turn has come. After `runTurn` rejects it holds what a cancelled turn keeps (QU-3). */
export class TurnProgress {
  /** Journalled answers, tool results and messages that joined, in order. */
  readonly messages: ChatMessage[] = [];
  readonly ledger: TurnLedger;
  /** Values of the session that the turn has set, as JSON; '' = removed. */
  readonly state = new Map<string, string>();
  /** The last summary that was made: it belongs into the turn's record, however the turn ends. */
  compaction: Compaction | undefined;
  /** Text of the answer that is being streamed; '' between answers. */
  partial = '';
  /** What the model thought before the answer it gave last in this attempt. */
  reasoning = '';

  /** @param journal of earlier attempts: what they paid counts at once, their messages as they are used again */
  constructor(journal: readonly JournalEntry[] = []) {
    this.ledger = new TurnLedger(journal);
    for (const entry of journal) if (entry.k === 'state') this.state.set(entry.key, entry.value);
  }

  add(message: ChatMessage): void {
    this.messages.push(message);
    if (message.role === 'assistant') this.partial = '';
  }

  /** What a parked turn leaves in the transcript: the calls without a result read as waiting. */
  waiting(text: string): ChatMessage[] {
    return [...this.messages, ...this.#open((call) => ({ role: 'tool', ...call, text, isError: false }))];
  }

  /**
   * What a stopped turn leaves in the transcript: the messages so far, a result for every call that has none
   * (providers refuse a call without one), and the partial answer, marked.
   */
  interrupted(): ChatMessage[] {
    const open = this.#open((call) => ({ role: 'tool', ...call, text: NO_RESULT, isError: true }));
    const rest: ChatMessage[] = this.partial ? [{ role: 'assistant', text: this.partial, toolCalls: [], interrupted: true }] : [];
    return [...this.messages, ...open, ...rest];
  }

  #open(resultOf: (call: { callId: string; name: string }) => ChatMessage): ChatMessage[] {
    const answered = new Set(this.messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
    return this.messages
      .flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
      .filter((call) => !answered.has(call.id))
      .map(({ id, name }) => resultOf({ callId: id, name }));
  }
}
