import type { ConversationKey } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';

/** What came in longer ago is as unknown as what never came. */
const KEPT_MS = 30 * 86_400_000;

/**
 * When something last came in from a conversation, for channels that may answer for so long only. A key that nobody
 * reads: its time to live is the answer, and Redis the one clock.
 */
export class ReplyWindows {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /** @param agoMs by the platform's clock, for what it brings late; older news changes nothing */
  async cameIn(conversation: ConversationKey, agoMs: number): Promise<void> {
    const leftMs = Math.floor(KEPT_MS - Math.max(0, agoMs));
    if (leftMs <= 0) return;
    const key = this.keyspace.lastInbound(conversation);
    await Promise.all([this.redis.set(key, 1, 'PX', leftMs, 'NX'), this.redis.pexpire(key, leftMs, 'GT')]);
  }

  /** @returns ms; undefined when nothing is known */
  async sinceInbound(conversation: ConversationKey): Promise<number | undefined> {
    const leftMs = await this.redis.pttl(this.keyspace.lastInbound(conversation));
    return leftMs < 0 ? undefined : KEPT_MS - leftMs;
  }
}
