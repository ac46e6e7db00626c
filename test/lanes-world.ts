import type { OutboxRow, Target, TurnRecord } from '#contracts';
import { loadConfig } from '#config';
import { conversationOf, Platform } from '#host';
import { outboxRowId, turnIdOf, type ConversationKey, type OutboxRowId, type SessionKey, type TurnId } from '#kernel';
import {
  DeliveryMailbox,
  type Accepted,
  type Claim,
  type SendLimits,
  type SessionMailbox,
  type Take,
  type TakenTurn,
} from '#lanes';
import { ClaimedSession, type AcceptOptions } from '#sessions';
import { createLogger } from '#telemetry';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
import { startRedis, type RedisServer } from './redis-server.js';

/** The lanes of one process on a Redis of the test's own, claimed by hand: fences are what the test says. */
export class LanesWorld {
  private constructor(
    readonly redis: RedisServer,
    readonly platform: Platform,
  ) {}

  static async open({ buckets = 1 } = {}): Promise<LanesWorld> {
    const redis = await startRedis();
    return new LanesWorld(redis, await openLanes(redis.url, buckets));
  }

  async close(): Promise<void> {
    await this.platform.close();
    await this.redis.stop();
  }

  accept(
    conversation: string,
    n: number,
    options: Partial<AcceptOptions> = {},
    text = `${conversation}/${n}`,
  ): Promise<Accepted> {
    return this.platform.sessions.accept(envelopeOf(targetOf(conversation), n, text), { ...ACCEPT, ...options });
  }

  claim(conversation: string, fence: string): Claim<SessionKey> {
    const activationId = fence.split('.')[0] ?? '';
    return { key: sessionOf(conversation), fence, activationId, token: `token-${fence}`, signal: new AbortController().signal };
  }

  mailbox(conversation: string, fence: string): SessionMailbox {
    return this.platform.mailboxes.of(this.claim(conversation, fence));
  }

  state(conversation: string, fence: string): ClaimedSession {
    return new ClaimedSession(this.platform.work, this.platform.keyspace, this.claim(conversation, fence));
  }

  /** @throws when there is no turn to take */
  async takeTurn(conversation: string, fence: string, most = 1): Promise<TakenTurn> {
    return turnOf(await this.mailbox(conversation, fence).take({ most, history: 0 }));
  }

  /** Commits a taken turn with one row, acknowledges its messages and releases the session when it is empty. */
  async answer(conversation: string, fence: string, taken: TakenTurn, { relay = true, text = 'answer' } = {}): Promise<Take> {
    const ids = taken.messages.map(({ id }) => id);
    const turn = turnIdOf(ids[0] ?? neverId(), 0);
    const rows = [rowOf(conversation, turn, 1, text)];
    const stored = await this.state(conversation, fence).commit({
      turn,
      ids,
      record: recordOf(turn, taken, text),
      rows,
      lastEvent: undefined,
    });
    const relayed = relay ? await this.platform.relay.relay(stored) : undefined;
    const mailbox = this.mailbox(conversation, fence);
    const next = await mailbox.take({ most: 1, history: 0, relayed, ended: ids });
    return next;
  }

  /** Ids that wait in a session's mailbox, oldest first. */
  async waiting(conversation: string): Promise<string[]> {
    const { work, keyspace } = this.platform;
    return (await work.lrange(keyspace.mailbox(sessionOf(conversation), 'wait'), 0, -1)).reverse();
  }

  /** A dispatcher's hold on a conversation. */
  conversation(claim: Claim<ConversationKey>, limits: Partial<SendLimits> = {}): DeliveryMailbox {
    const { work, deliveries, keyspace, receiptTtlMs } = this.platform;
    const ages = { maxAgeMs: receiptTtlMs / 2, receiptTtlMs };
    const all = { channel: 'generic', account: 'dedupe', rates: [], flightMs: 1_000, ...limits };
    return new DeliveryMailbox(work, deliveries, keyspace, ages, claim, all);
  }

  receiptKey(row: OutboxRow): string {
    return this.platform.keyspace.receipt(conversationOf(row), row.id as OutboxRowId);
  }

  /** Every key of this Redis. */
  async keys(): Promise<string[]> {
    return (await this.platform.work.keys('*')).sort();
  }
}

/** Another process's lanes on the same Redis. */
export function openLanes(redisUrl: string, buckets = 1): Promise<Platform> {
  const config = loadConfig({ env: { REDIS_URL: redisUrl, TURNPIKE_BUCKETS: `${buckets}` } });
  return Platform.open(config, createLogger({ level: 'silent', name: 'test' }).logger);
}

export function targetOf(conversation: string): Target {
  return { channel: 'generic', account: 'dedupe', conversation };
}

function turnOf(take: Take): TakenTurn {
  if (take.kind !== 'turn') throw new Error(`There is no turn to take: ${JSON.stringify(take)}`);
  return take;
}

export function rowOf(conversation: string, turn: TurnId, n: number, text: string): OutboxRow {
  const session = sessionOf(conversation);
  return {
    v: 1,
    id: outboxRowId(turn, n),
    tenant: 'default',
    session,
    turn,
    n,
    mode: 'final',
    fellBack: false,
    target: targetOf(conversation),
    text,
    at: 0,
  };
}

export function recordOf(turn: TurnId, { messages }: TakenTurn, text: string): TurnRecord {
  const inputs = messages.map(({ id, seq }) => ({ id, seq, sender: 'user', at: 1 }));
  return { v: 1, turn, outcome: 'answered', inputs, messages: [{ role: 'assistant', text, toolCalls: [] }], at: 0 };
}

function neverId(): never {
  throw new Error('A turn has at least one message');
}
