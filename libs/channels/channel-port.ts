import type { InboundEvent, OutboxRow, Target } from '#contracts';

export interface ChannelCapabilities {
  /** Can send before the turn ends. */
  immediateSend: boolean;
  /** Rows of one turn may be merged into one platform message. */
  batch: boolean;
  /** The platform drops a second send with the same idempotency key. */
  dedupe: boolean;
  threads: boolean;
  /** Characters (UTF-16 units unless the channel says otherwise) of one platform message. */
  maxTextLength: number;
}

export interface WebhookRequest {
  /** Exactly the bytes that came in: signatures are computed over them. */
  body: Buffer;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
}

export type Verification = { ok: true } | { ok: false; reason: string };

/** Inbound half of one account. */
export interface InboundChannel {
  /** How long the platform goes on sending an event that it got no 2xx for, ms: duplicates are recognised for so long, at most a day. */
  readonly retryWindowMs: number;
  /** Constant-time check of the raw bytes, before anything is parsed (IN-1). */
  verify(request: WebhookRequest): Verification;
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
}

/** What became of one send (protocol 4). The channel classifies; the dispatcher decides. */
export type SendOutcome =
  | { kind: 'sent'; platformId: string }
  /** Proven unsent, worth trying again; `retryAfterMs` is the platform's floor. */
  | { kind: 'retry'; reason: string; retryAfterMs?: number }
  /** Proven unsent, for good. */
  | { kind: 'refused'; reason: string }
  /** The request left, no answer came. */
  | { kind: 'unknown'; reason: string };

/** The sign that an answer is being made (QU-6). */
export interface TypingSign {
  /** How long a platform shows it after one call, ms. */
  readonly lastsMs: number;
  /** Best effort, for at most `timeoutMs`: whatever the platform says, nobody acts on it. */
  show(target: Target, timeoutMs: number): Promise<void>;
}

/** Outbound half of one account. Never throws for what the platform or the network did. */
export interface OutboundChannel {
  readonly capabilities: ChannelCapabilities;
  /** Absent where the platform has no such sign. */
  readonly typing?: TypingSign;
  /** Pure. At least one chunk; each within `maxTextLength`. */
  render(row: OutboxRow): Chunk[];
  send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome>;
}

/** One configured account of one channel. */
export interface ChannelAccount {
  readonly channel: string;
  readonly account: string;
  readonly outbound: OutboundChannel;
  /** Absent where messages do not come by webhook. */
  readonly inbound?: InboundChannel;
}
