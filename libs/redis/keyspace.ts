import { crc32 } from 'node:zlib';
import type { ConversationKey, MessageId, OutboxRowId, SessionKey, TenantId } from '#kernel';

/** One hash slot of a Redis Cluster, and one activation queue per lane. */
export type Bucket = number & { readonly __brand: 'Bucket' };

/**
 * Every Redis key of Turnpike, minted in one place. All keys of one session share a bucket, all keys of one
 * conversation share a bucket; `{…}` makes a bucket one hash slot, so each script touches one slot only (B112).
 */
export class Keyspace {
  /**
   * @param buckets fixed for the life of a deployment (see `claimBuckets`): it decides where every key lives
   * @param namespace lets deployments share one Redis
   */
  constructor(
    readonly bucketCount: number,
    private readonly namespace: string = '',
  ) {}

  get buckets(): Bucket[] {
    return Array.from({ length: this.bucketCount }, (_, index) => index as Bucket);
  }

  bucketOf(key: SessionKey | ConversationKey): Bucket {
    return this.bucketNamed(key);
  }

  /** Also the BullMQ prefix of the queues of this bucket. */
  prefix(bucket: Bucket): string {
    return `{${this.namespace}b${bucket}}`;
  }

  /** BullMQ refuses ':' in queue names; session keys never contain one. */
  mailboxName(session: SessionKey): string {
    return `s-${session}`;
  }

  /** A key of BullMQ's own for the mailbox queue of a session. */
  mailbox(session: SessionKey, suffix: string): string {
    return `${this.prefix(this.bucketOf(session))}:${this.mailboxName(session)}:${suffix}`;
  }

  /** With a session behind it: what its mailbox queue's keys begin with. */
  mailboxPrefix(bucket: Bucket): string {
    return `${this.prefix(bucket)}:s-`;
  }

  head(session: SessionKey): string {
    return this.of(session, 'h');
  }
  /** Of the heads of a tenant's sessions, in whatever bucket; tenants have no characters that mean something in a pattern. */
  headPattern(tenant: TenantId): string {
    return `{${this.namespace}b*}:h:${tenant}.*`;
  }
  sessionOfHead(head: string): SessionKey {
    return head.slice(head.indexOf(':h:') + ':h:'.length) as SessionKey;
  }
  journal(session: SessionKey): string {
    return this.of(session, 'j');
  }
  transcript(session: SessionKey): string {
    return this.of(session, 't');
  }
  /** With the number of an epoch behind it: the transcript of that epoch, once it is over. */
  archivePrefix(session: SessionKey): string {
    return `${this.of(session, 'a')}:`;
  }
  outbox(session: SessionKey): string {
    return this.of(session, 'o');
  }
  /** HASH code -> journal of a turn that is parked. */
  parked(session: SessionKey): string {
    return this.of(session, 'p');
  }
  /** HASH of values that plugins keep with the session. */
  state(session: SessionKey): string {
    return this.of(session, 'v');
  }
  /** Ring of the last ended message ids. */
  seen(session: SessionKey): string {
    return this.of(session, 'n');
  }
  /** What was said in its group since the last message that was for the agent, and the ids of it. */
  groupHistory(session: SessionKey): string {
    return this.of(session, 'g');
  }
  groupHistoryIds(session: SessionKey): string {
    return this.of(session, 'gi');
  }
  /** Stream of turn events; also the name of the channel that announces them. */
  events(session: SessionKey): string {
    return this.of(session, 'e');
  }
  idempotency(session: SessionKey, id: MessageId): string {
    return `${this.prefix(this.bucketOf(session))}:i:${id}`;
  }
  /** Which connection waits for the answer to a message. */
  answerLease(session: SessionKey, id: MessageId): string {
    return `${this.prefix(this.bucketOf(session))}:al:${id}`;
  }
  /** Marks a message as written to the event stream. */
  eventOnce(session: SessionKey, row: OutboxRowId): string {
    return `${this.prefix(this.bucketOf(session))}:eo:${row}`;
  }

  deliveries(conversation: ConversationKey): string {
    return this.of(conversation, 'd');
  }
  /** With a conversation behind it: its deliveries. */
  deliveriesPrefix(bucket: Bucket): string {
    return `${this.prefix(bucket)}:d:`;
  }
  conversation(conversation: ConversationKey): string {
    return this.of(conversation, 'c');
  }
  receiptPrefix(conversation: ConversationKey): string {
    return `${this.prefix(this.bucketOf(conversation))}:rc:`;
  }
  receipt(conversation: ConversationKey, row: OutboxRowId): string {
    return this.receiptPrefix(conversation) + row;
  }
  /** Its time to live says when something last came in. */
  lastInbound(conversation: ConversationKey): string {
    return this.of(conversation, 'li');
  }
  /** HASH of a row that left, and how far its platform says each part of it came. */
  sentRow(conversation: ConversationKey, row: OutboxRowId): string {
    return `${this.prefix(this.bucketOf(conversation))}:sr:${row}`;
  }

  /** ZSET id -> when it was given up, of one tenant's dead letters in a bucket. */
  deadLetters(bucket: Bucket, tenant: string): string {
    return `${this.prefix(bucket)}:dl:${tenant}`;
  }
  /** What became of a dead letter that was sent again. */
  replay(bucket: Bucket, tenant: string, letter: string): string {
    return `${this.prefix(bucket)}:rp:${tenant}:${letter}`;
  }

  /** Where the send rates of an account live: all of its conversations share them, from whatever bucket. */
  accountBucket(channel: string, account: string): Bucket {
    return this.bucketNamed(`${channel}.${account}`);
  }
  /** One rate of an account; the scripts find its line and its pause behind it (rates.lua). */
  sendRate(channel: string, account: string, name: string): string {
    return `${this.prefix(this.accountBucket(channel, account))}:r:${channel}.${account}:${name}`;
  }

  /** Written to ask what is replicated. */
  replicationMark(bucket: Bucket): string {
    return `${this.prefix(bucket)}:replicated`;
  }
  /** ZSET key -> accept time of everything in this lane that is not idle. */
  busy(lane: string, bucket: Bucket): string {
    return `${this.prefix(bucket)}:busy:${lane}`;
  }
  /** ZSET key -> notBefore, in Redis time. */
  due(lane: string, bucket: Bucket): string {
    return `${this.prefix(bucket)}:due:${lane}`;
  }
  /** The version of the tool catalog; the same in every bucket. */
  catalog(bucket: Bucket): string {
    return `${this.prefix(bucket)}:catalog`;
  }
  /** A key of BullMQ's own for the lane's activation queue. */
  activation(lane: string, bucket: Bucket, suffix: string): string {
    return `${this.prefix(bucket)}:${lane}:${suffix}`;
  }

  /** With the number of a day behind it: HASH of what the tenant's turns of this bucket cost on that day. */
  usageDays(tenant: string, bucket: Bucket): string {
    return `${this.prefix(bucket)}:u:${tenant}:`;
  }

  /** Who is heard where: small, and in one slot of its own. */
  access(name: string): string {
    return `{${this.namespace}access}:${name}`;
  }

  /** Of no bucket: nothing else is read or written with it. */
  toolResult(digest: string): string {
    return `${this.namespace}tr:${digest}`;
  }

  /** HASH of what a plugin keeps for a tenant. Tenants and plugins have no '|' in their names. */
  pluginStorage(tenant: string, plugin: string): string {
    return `${this.namespace}ps:${tenant}|${plugin}`;
  }

  /** HASH of how often a plugin has ended its process. @param digest of its version and configuration */
  pluginCrashes(plugin: string, digest: string): string {
    return `${this.namespace}pc:${plugin}|${digest}`;
  }

  /** Limits span buckets, so they live in a slot of their own. */
  limits(name: string): string {
    return `{${this.namespace}limits}:${name}`;
  }

  /** HASH server -> its tools as it last listed them. Of the whole fleet, like limits. */
  mcpTools(): string {
    return `{${this.namespace}mcp}:tools`;
  }

  /** Channel on which one process hears that receipts became final. */
  receiptChannel(process: string): string {
    return `${this.namespace}receipts:${process}`;
  }

  private bucketNamed(name: string): Bucket {
    return (this.bucketCount === 1 ? 0 : crc32(name) % this.bucketCount) as Bucket;
  }

  private of(key: SessionKey | ConversationKey, kind: string): string {
    return `${this.prefix(this.bucketOf(key))}:${kind}:${key}`;
  }
}
