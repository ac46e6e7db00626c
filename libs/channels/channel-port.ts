import type { InboundEvent, Media, MediaType, OutboxRow, Target } from '#contracts';
import type { LengthUnit } from './markdown/dialect.js';

/** What a channel can (OUT-2). Tools offer no more than this, and the matrix of docs/channels.md shows it. */
export interface ChannelCapabilities {
  /** Can send before the turn ends. */
  immediateSend: boolean;
  /** Rows of one turn may be merged into one platform message. */
  batch: boolean;
  /** The platform drops a second send with the same idempotency key. */
  dedupe: boolean;
  threads: boolean;
  /** Shows which message is answered (`target.replyTo`). */
  reply: boolean;
  /** Takes rows with this action. */
  edit: boolean;
  delete: boolean;
  react: boolean;
  /** Most of one message; 0: none, and the text says how to answer without. */
  buttons: number;
  /** What it sends, and what it hands on from people. */
  media: readonly MediaType[];
  mediaIn: readonly MediaType[];
  typing: boolean;
  /** What is asked shows that an answer is awaited until the first message takes its place (`target.replyTo`); deleting that takes it away. */
  placeholder?: true;
  /** How text is shown while it is being written. */
  stream: 'none' | 'edit' | 'native';
  /** Of one platform message, in `lengthUnit`. */
  maxTextLength: number;
  lengthUnit: LengthUnit;
}

/** One kind of channel, in words and figures: the matrix of docs/channels.md and GET /api/channels. */
export interface ChannelDescription {
  /** As events, URLs and bindings name it. */
  name: string;
  title: string;
  /** The most that an account of it can; an account may be configured for less. */
  capabilities: ChannelCapabilities;
  /** The platform tries again, or gives up, when no 2xx came within this, ms. Absent: it names none. */
  ackDeadlineMs?: number;
  /** Which of the platform's ids tells a repeated event. */
  dedupeId: string;
  /** How long the platform goes on sending an event that it got no 2xx for, ms: duplicates are recognised for so long, at most a day. */
  retryWindowMs: number;
  /** A conversation may be written to only so long after something came in from it, ms (SendContext.sinceInboundMs). Absent: always. */
  replyWindowMs?: number;
  /** What a user of this channel has to know besides. */
  notes: readonly string[];
}

export interface WebhookRequest {
  method: 'GET' | 'POST';
  query: Readonly<Record<string, string | undefined>>;
  /** Exactly the bytes that came in, of whatever content type: signatures are computed over them. */
  body: Buffer;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
}

export type Verification = { ok: true } | { ok: false; reason: string };

/** Inbound half of one account. */
export interface InboundChannel {
  /** Constant-time check of the raw bytes, before anything is parsed (IN-1). */
  verify(request: WebhookRequest): Verification;
  /**
   * Answers a verified request that carries no message, a question of the protocol itself (is this address yours?):
   * the whole body of the 200, as text or JSON. Undefined or absent: an ordinary event. A GET is nothing else.
   */
  handshake?(request: WebhookRequest): string | Record<string, unknown> | undefined;
  /**
   * Normalises a verified body. Unknown kinds of event give an empty list (counted, acknowledged).
   * Throws InvalidInputError when it is not the platform's shape at all.
   */
  parse(request: WebhookRequest): InboundEvent[];
  /**
   * JSON body of the 2xx that follows the durable write, where the platform reads one (Telegram: stops a button's
   * spinner). Undefined or absent: an empty answer.
   */
  acknowledgement?(request: WebhookRequest): Record<string, unknown> | undefined;
  /** What the same request says of messages that were sent before, in any order and more than once. Absent: the platform does not say. */
  reports?(request: WebhookRequest): DeliveryReport[];
}

/** What became of a message after its `send` had been answered. */
export interface DeliveryReport {
  /** The platform's id, as `send` gave it. */
  message: string;
  conversation: string;
  state: 'sent' | 'delivered' | 'read' | 'failed';
  /** The platform's time, ms since the epoch. */
  at: number;
  /** Of its SendContext, where the platform brings it back. */
  idempotencyKey?: string;
  /** Of a failure: code and description. */
  reason?: string;
}

/** One platform message, ready to send: stored with the receipt and never rendered again on a retry. */
export interface Chunk {
  /** Plain text of the chunk, for logs and fall-back. */
  text: string;
  /** The channel's own payload, JSON-safe. */
  payload: Record<string, unknown>;
}

export interface SendContext {
  /** `<row id>/<chunk index>`: the same for every try of this chunk. */
  idempotencyKey: string;
  row: OutboxRow;
  /** The local time budget of this request, ms; shorter than the lane's lock. */
  timeoutMs: number;
  /** A try of this chunk before this one may have arrived (G5). */
  possibleDuplicate?: boolean;
  /** How long ago something came in from the conversation, ms. Only for channels with a `replyWindowMs`; undefined where nobody knows. */
  sinceInboundMs?: number;
}

/** What became of one send (protocol 4). The channel classifies; the dispatcher decides. */
export type SendOutcome =
  | { kind: 'sent'; platformId: string }
  /** Proven unsent, worth trying again; `retryAfterMs` is the platform's floor, for the RateScope it names (default: the narrowest). */
  | { kind: 'retry'; reason: string; retryAfterMs?: number; scope?: string }
  /** Proven unsent, for good. */
  | { kind: 'refused'; reason: string }
  /** The request left, no answer came. */
  | { kind: 'unknown'; reason: string };

/** One limit of a platform. All that a send falls under must have room before it leaves; the dispatcher counts (OUT-1). */
export interface RateScope {
  /** What is limited: `bot`, `chat`, `group`, `pair` ... as a `retry` names it. */
  scope: string;
  /** Whose, within the account and scope. */
  key: string;
  /** At most so many sends within any `perMs`. */
  count: number;
  perMs: number;
}

export interface Downloaded {
  bytes: Buffer;
  mime?: string;
  name?: string;
}

/** Bounds of one download; `timeoutMs` is for all of it. */
export interface DownloadLimits {
  maxBytes: number;
  timeoutMs: number;
}

/** The sign that an answer is being made (QU-6). */
export interface TypingSign {
  /** How long a platform shows it after one call, ms. */
  readonly lastsMs: number;
  /** Best effort, for at most `timeoutMs`, to where the message `replyTo` is answered: whatever the platform says, nobody acts on it. */
  show(target: Target, timeoutMs: number): Promise<void>;
}

/** What a conversation is shown of a text that is being written. */
export interface PreviewText {
  /** The same for every update of a turn, whoever makes it. */
  id: string;
  /** So far, as the model writes it. */
  text: string;
  /** Who is answered, as the platform knows them. */
  recipient: string;
  /** Something of the turn was sent before. */
  hasSent: boolean;
  /** What the update before left: its message and the text that it shows, where that is known. */
  shown?: { message: string; text?: string } | undefined;
}

export type PreviewOutcome =
  /** `message`: its platform id, where it is one that stays. */
  | { kind: 'shown'; message?: string }
  /** Not now; the platform may have said for how long, ms. */
  | { kind: 'later'; ms?: number }
  /** This text is shown no further. */
  | { kind: 'over' }
  /** The request left, no answer came: it may take effect whenever it likes. */
  | { kind: 'unknown' };

/** How text is shown while it is being written (OUT-3). Nothing that is delivered depends on it. */
export interface PreviewSign {
  /** Time between two updates in a conversation, ms: the platform has room for deliveries beside them. */
  everyMs(target: Target): number;
  /** Limits that updates fall under besides those of sends, of which they use half. */
  rates?(target: Target): RateScope[];
  /** Shows the text instead of what was shown, as much of it as one message holds. Never throws. */
  show(target: Target, text: PreviewText, timeoutMs: number, signal: AbortSignal): Promise<PreviewOutcome>;
  /**
   * The chunk takes the place of the message that `show` left; made twice, it is the same. `refused`: the message is gone, or
   * the chunk can't stand in its place. Absent: no message is ever left.
   */
  replace?(target: Target, message: string, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome>;
}

/** Outbound half of one account. Never throws for what the platform or the network did. */
export interface OutboundChannel {
  readonly capabilities: ChannelCapabilities;
  /** Absent where the platform has no such sign. */
  readonly typing?: TypingSign;
  /** Absent where a message shows once it is whole. */
  readonly preview?: PreviewSign;
  /**
   * Pure. At least one chunk; each within `maxTextLength`. What the row does, edit, delete, react or send, is in the
   * payload. An edit is one chunk: one platform message takes the place of one.
   */
  render(row: OutboxRow): Chunk[];
  /**
   * One attempt at one chunk. An edit to what it says already, the deletion of what is gone and a reaction that is there
   * are `sent`: such a chunk is made again where its outcome is unknown.
   */
  send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome>;
  /**
   * Pure. Every limit that a send to this target falls under, widest first. Absent: none is known. Of the target alone,
   * thread included: what it allows is asked while the message is still being read.
   */
  rates?(target: Target): RateScope[];
  /**
   * Fetches what somebody sent, by its `ref`, never from an address inside the network.
   * @throws TerminalError `media_refused` too large, gone, a private address; TransientError `media_unavailable`
   */
  download?(media: Media, limits: DownloadLimits, signal: AbortSignal): Promise<Downloaded>;
}

/** One configured account of one channel. */
export interface ChannelAccount {
  readonly channel: string;
  readonly account: string;
  readonly description: ChannelDescription;
  readonly outbound: OutboundChannel;
  /** Absent where messages do not come by webhook. */
  readonly inbound?: InboundChannel;
  /** Other sizes of the channel's rates, by their scope: what this account was granted. */
  readonly rates?: Readonly<Record<string, Pick<RateScope, 'count' | 'perMs'>>>;
  /** Its answers show while they are written, where the channel has a preview. */
  readonly streams?: boolean;
}

/** A channel as the product lists it: what it is, and how an account of it is made from its options. */
export interface ChannelKind<Options> {
  readonly description: ChannelDescription;
  /** @throws TerminalError `channel_misconfigured` */
  open(options: Options): ChannelAccount;
}
