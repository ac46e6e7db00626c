import type { TurnEvent } from '#contracts';

type TurnEnd = Extract<TurnEvent, { type: 'turn.end' }>;

/** Which messages are answered: their turn has ended, and everything it said has arrived, in whatever order the two happen. */
export class PendingAnswers {
  private readonly arrived = new Set<string>();
  private readonly ends: TurnEnd[] = [];
  private readonly waiting = new Map<string, () => void>();
  private readonly answered = new Set<string>();

  /** Resolves when the message is answered, cancelled or failed. */
  async of(messageId: string): Promise<void> {
    if (this.answered.has(messageId)) return;
    await new Promise<void>((resolve) => this.waiting.set(messageId, resolve));
  }

  see(event: TurnEvent): void {
    if (event.type === 'message' || event.type === 'message.changed') this.arrived.add(event.id);
    else if (event.type === 'turn.end') this.ends.push(event);
    else return;
    for (const end of this.ends.filter(({ rows }) => rows.every((row) => this.arrived.has(row)))) this.settle(end);
  }

  private settle(end: TurnEnd): void {
    this.ends.splice(this.ends.indexOf(end), 1);
    for (const row of end.rows) this.arrived.delete(row);
    for (const messageId of end.messages) {
      this.answered.add(messageId);
      this.waiting.get(messageId)?.();
      this.waiting.delete(messageId);
    }
  }
}
