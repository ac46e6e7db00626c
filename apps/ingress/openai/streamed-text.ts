import type { TurnEvent } from '#contracts';

type Delta = Extract<TurnEvent, { type: 'text.delta' }>;
type Said = Pick<Extract<TurnEvent, { type: 'message' }>, 'text' | 'deliveryMode'>;

/** The text of one model answer, as it came. */
interface Answer {
  step: number;
  text: string;
  /** What of it the client has. */
  shown: string;
  isOpen: boolean;
  isDelivered: boolean;
}

export const BETWEEN_MESSAGES = '\n\n';
export const BEGINS_AGAIN = '\n\n[The answer begins again:]\n\n';

/**
 * A turn as one growing text, for a wire on which nothing can be taken back. Words of the model are written as they come; what
 * is delivered beside them comes in between, in its order. Where an answer begins again, nothing is written while it says the
 * same; when it says something else it stands behind BEGINS_AGAIN, whole.
 */
export class StreamedText {
  private readonly answers: Answer[] = [];
  /** Came while an answer was being written. */
  private held: string[] = [];
  private isEmpty = true;
  private hasFinal = false;

  /** @param isLive write the model's words as they come; else whole messages when they are delivered */
  constructor(private readonly isLive: boolean) {}

  /** @returns what is to be written now */
  add(event: TurnEvent): string {
    switch (event.type) {
      case 'text.delta':
        return this.isLive ? this.grow(event) : '';
      case 'tool.start':
        return this.close();
      case 'message':
        // What a notice is, the end of the turn says: a question, or a failure.
        return event.deliveryMode === 'notice' ? '' : this.say(event);
      default:
        return '';
    }
  }

  /** @param text of the turn's end. @returns what is still missing */
  end(text: string): string {
    const held = this.close();
    return this.hasFinal || text === '' ? held : held + this.say({ text, deliveryMode: 'final' });
  }

  private grow({ step, offset, text }: Delta): string {
    let answer = this.answers.at(-1);
    let before = '';
    // A turn that moved shows earlier answers again, as they are in its journal.
    if (answer && step < answer.step) return before;
    if (answer?.step !== step) {
      before = this.close();
      answer = { step, text: '', shown: '', isOpen: true, isDelivered: false };
      this.answers.push(answer);
    }
    // A gap is closed by the message itself.
    if (offset > answer.text.length) return before;
    answer.text = answer.text.slice(0, offset) + text;
    return before + this.catchUp(answer);
  }

  private catchUp(answer: Answer): string {
    const { text, shown } = answer;
    if (shown.startsWith(text)) return '';
    answer.shown = text;
    if (shown === '') return this.piece(text);
    return text.startsWith(shown) ? text.slice(shown.length) : BEGINS_AGAIN + text;
  }

  private say({ text, deliveryMode }: Said): string {
    this.hasFinal ||= deliveryMode === 'final';
    const last = this.answers.at(-1);
    if (deliveryMode === 'narration' || deliveryMode === 'final') {
      const answer = this.answers.find(({ isDelivered, shown }) => !isDelivered && restOf(text, shown) !== undefined);
      if (answer) {
        answer.isDelivered = true;
        return answer === last ? (restOf(text, answer.shown) ?? '') + this.close() : '';
      }
      if (deliveryMode === 'final' && last?.isOpen && last.shown !== '') return BEGINS_AGAIN + text;
    }
    if (!last?.isOpen) return this.piece(text);
    this.held.push(text);
    return '';
  }

  /** No more words of this answer: what came meanwhile follows it. */
  private close(): string {
    const last = this.answers.at(-1);
    if (last) last.isOpen = false;
    const held = this.held.map((text) => this.piece(text)).join('');
    this.held = [];
    return held;
  }

  private piece(text: string): string {
    const before = this.isEmpty ? '' : BETWEEN_MESSAGES;
    this.isEmpty = false;
    return before + text;
  }
}

/** What a message says beyond what was shown of its answer; undefined: it is another one's. Narration is delivered without the blanks around it. */
function restOf(text: string, shown: string): string | undefined {
  const begun = [shown, shown.trim()].find((start) => start !== '' && text.startsWith(start));
  return begun === undefined ? undefined : text.slice(begun.length);
}
