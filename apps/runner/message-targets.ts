import type { ToolMessage, TurnRecord } from '#contracts';
import type { TurnId } from '#kernel';
import { conversationKey } from '#routing';
import type { Receipts } from '#sessions';
import { readReport, type ReadReport } from '#tools';
import type { ClaimedTurn } from './claimed-turn.js';
import { TurnRows, type Send } from './turn-rows.js';

/** How far back the agent may reach, in turns of the conversation. */
const TURNS_BACK = 20;

/** Which messages of its conversation a turn may answer, edit, delete or react to: what it was shown and what it sent. */
export class MessageTargets {
  constructor(
    private readonly turn: ClaimedTurn,
    private readonly receipts: Pick<Receipts, 'find'>,
  ) {}

  /** @param sends of this turn so far. See TurnSends.findMessage. */
  async find(whose: 'own' | 'seen', id: string | undefined, sends: readonly Send[]): Promise<string | undefined> {
    const seen = whose === 'seen' ? this.seen() : [];
    if (id !== undefined && seen.includes(id)) return id;
    if (id === undefined && whose === 'seen') return seen.at(-1);
    const own = await this.own(sends);
    return id === undefined ? own.at(-1) : own.find((one) => one === id);
  }

  /** What later turns need to know of this one. @param rows sequence number of the last thing it sends */
  place(rows: number): TurnRecord['place'] {
    const { envelopes } = this.turn;
    const seen = idsShown(envelopes);
    return seen.length > 0 || rows > 0 ? { conversation: this.conversation, seen, rows } : undefined;
  }

  private get conversation(): string {
    const [{ tenant, target }] = this.turn.envelopes;
    return conversationKey(tenant, target);
  }

  private get past(): TurnRecord[] {
    return this.turn.history.filter(({ place }) => place?.conversation === this.conversation).slice(-TURNS_BACK);
  }

  private seen(): string[] {
    return [...this.past.flatMap(({ place }) => place?.seen ?? []), ...idsShown(this.turn.envelopes)];
  }

  /** Oldest first, without what was deleted. Receipts are forgotten after a while; what a result of the tool said is not. */
  private async own(sends: readonly Send[]): Promise<string[]> {
    const past = this.past.map((record) => ({ record, reports: reportsOf(record) }));
    const before = past.map(({ record, reports }) => this.sentBy(record, reports));
    const now = sends.filter(({ action }) => !action).map(({ n }) => this.sentAs(this.turn.id, n));
    const sent = (await Promise.all([...before, ...now])).flat();
    const gone = new Set([
      ...past.flatMap(({ reports }) => [...reports.values()].map(({ action, messageId }) => action === 'delete' && messageId)),
      ...sends.map(({ action }) => action?.do === 'delete' && action.message),
    ]);
    return sent.filter((id) => !gone.has(id));
  }

  private async sentBy({ turn, place }: TurnRecord, reports: ReadonlyMap<number, ReadReport>): Promise<string[]> {
    const numbers = Array.from({ length: place?.rows ?? 0 }, (_, index) => index + 1);
    const sent = numbers.map(async (n) => {
      const report = reports.get(n);
      if (report?.action) return [];
      const ids = await this.sentAs(turn as TurnId, n);
      return ids.length > 0 ? ids : (report?.platformIds ?? []);
    });
    return (await Promise.all(sent)).flat();
  }

  private async sentAs(turn: TurnId, n: number): Promise<readonly string[]> {
    const [envelope] = this.turn.envelopes;
    const row = new TurnRows(turn, envelope, '').row({ n, mode: 'final', text: '', fellBack: false, at: 0 });
    return (await this.receipts.find(row))?.platformIds ?? [];
  }
}

/** By sequence number. */
function reportsOf({ messages }: TurnRecord): Map<number, ReadReport> {
  const results = messages.filter((message): message is ToolMessage => message.role === 'tool' && message.name === 'message');
  return new Map(results.flatMap(({ text }) => readReport(text) ?? []).map((report) => [report.sequenceInTurn, report]));
}

function idsShown(envelopes: ClaimedTurn['envelopes']): string[] {
  return envelopes.flatMap(({ platform: { messageId, replyTo } }) => [replyTo, messageId].filter((id) => id !== null));
}
