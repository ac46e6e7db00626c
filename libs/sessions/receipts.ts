import { randomBytes } from 'node:crypto';
import { receiptSchema, type OutboxRow, type Receipt } from '#contracts';
import type { ConversationKey, OutboxRowId } from '#kernel';
import type { Keyspace, RedisClient, Subscriptions } from '#redis';

/** Pub/sub only says "look now"; a lost hint costs at most this. */
const LOOK_ANYWAY_MS = 500;

/** What became of outbox rows; and a bounded wait for it, for the message tool. */
export class Receipts {
  /** Rows that name it as `notify` are announced to this process. */
  readonly process = randomBytes(6).toString('hex');
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly redis: RedisClient,
    private readonly subscriptions: Subscriptions,
    private readonly keyspace: Keyspace,
    private readonly conversationOf: (row: OutboxRow) => ConversationKey,
  ) {}

  async start(): Promise<void> {
    await this.subscriptions.listen(this.keyspace.receiptChannel(this.process), (row) => this.waiting.get(row)?.());
  }

  /** @returns undefined while the row is not final. */
  async find(row: OutboxRow): Promise<Receipt | undefined> {
    const state = await this.redis.get(this.keyspace.receipt(this.conversationOf(row), row.id as OutboxRowId));
    return state?.startsWith('f') ? receiptSchema.parse(JSON.parse(state.slice(1))) : undefined;
  }

  /** @returns undefined when it is not final within `ms`. Rejects with the signal's reason. */
  async wait(row: OutboxRow, ms: number, signal: AbortSignal): Promise<Receipt | undefined> {
    const deadline = performance.now() + ms;
    for (;;) {
      const heard = this.announced(row.id, Math.min(LOOK_ANYWAY_MS, Math.max(0, deadline - performance.now())), signal);
      const receipt = await this.find(row);
      signal.throwIfAborted();
      if (receipt || performance.now() >= deadline) {
        this.waiting.get(row.id)?.();
        return receipt;
      }
      await heard;
    }
  }

  /** The state text of a final receipt, as ack-delivery.lua stores it. */
  static final(receipt: Receipt): string {
    return `f${JSON.stringify(receipt)}`;
  }

  private announced(row: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(row);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.waiting.set(row, done);
    });
  }
}
