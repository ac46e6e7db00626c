import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Injectable } from '@nestjs/common';
import { Platform } from '#host';
import type { SessionKey } from '#kernel';
import type { Queue } from '#lanes';
import { parseSessionKey } from '#routing';
import { RedisCalls } from '../http/redis-calls.js';
import type { BoardRole } from './board-session.js';
import { DeadLetterQueue } from './dead-letter-queue.js';

/** The board asks Redis 16 things of every queue it lists, at every poll. */
const SESSIONS_SHOWN = 50;
/** Sessions somebody opened by their address stay listed for this many others. */
const SESSIONS_ASKED_FOR = 10;
const MAILBOX = /^s-(.+)$/;

/**
 * What the board shows: both lanes' activations, dead letters and the mailboxes of the longest busy sessions. All are to be looked at
 * only, but that operators send dead letters again.
 */
@Injectable()
export class BoardQueues {
  private readonly fixed: Record<BoardRole, BullMQAdapter[]>;
  private readonly asked = new Set<SessionKey>();
  private sessions = new Map<SessionKey, BullMQAdapter>();

  constructor(
    private readonly platform: Platform,
    private readonly redis: RedisCalls,
  ) {
    const { turns, deliveries, deadLetters } = platform;
    const lanes = [
      ...perBucket(turns.activationQueues, 'Sessions with mail: one job each', readOnly),
      ...perBucket(deliveries.activationQueues, 'Conversations with deliveries: one job each', readOnly),
    ];
    const lettersFor = (role: BoardRole) =>
      perBucket(deadLetters.board, 'Deliveries that were given up', (queue, options) => {
        const replay = (...letter: Parameters<typeof deadLetters.replay>) => redis.within(() => deadLetters.replay(...letter));
        return new DeadLetterQueue(queue, replay, { ...options, readOnlyMode: role === 'viewer' });
      });
    this.fixed = { viewer: [...lanes, ...lettersFor('viewer')], operator: [...lanes, ...lettersFor('operator')] };
  }

  /**
   * The queues of this moment.
   * @param asked the queue somebody wants to see; any session's can be named, also an idle one's
   * @throws UnavailableError
   */
  async list(role: BoardRole, asked?: string | string[]): Promise<BullMQAdapter[]> {
    const session = MAILBOX.exec(String(asked))?.[1];
    if (session !== undefined && parseSessionKey(session)) this.remember(session as SessionKey);
    const busy = await this.redis.within(() => this.platform.busy.list('turns', SESSIONS_SHOWN));
    const shown = [...this.asked, ...busy.map(({ key }) => key as SessionKey)];
    this.sessions = new Map(shown.map((key) => [key, this.sessions.get(key) ?? this.mailbox(key)]));
    return [...this.fixed[role], ...this.sessions.values()];
  }

  private mailbox(session: SessionKey): BullMQAdapter {
    const { channel, conversation } = parseSessionKey(session) ?? {};
    return readOnly(this.platform.busy.mailboxQueue(session), {
      displayName: `${conversation ?? 'long name'} · ${channel}`,
      description: session,
    });
  }

  private remember(session: SessionKey): void {
    this.asked.delete(session);
    this.asked.add(session);
    const [oldest] = this.asked;
    if (oldest !== undefined && this.asked.size > SESSIONS_ASKED_FOR) this.asked.delete(oldest);
  }
}

/** Each bucket has a queue of the same name. */
function perBucket(
  queues: readonly Queue[],
  description: string,
  adapter: (queue: Queue, options: { description: string; prefix?: string }) => BullMQAdapter,
): BullMQAdapter[] {
  return queues.map((queue, bucket) => adapter(queue, { description, ...(queues.length > 1 && { prefix: `b${bucket}-` }) }));
}

/** A retry, a clean or an added job would break the order that the lanes keep. */
function readOnly(queue: Queue, options: { description: string; displayName?: string; prefix?: string }): BullMQAdapter {
  return new BullMQAdapter(queue, { readOnlyMode: true, ...options });
}
