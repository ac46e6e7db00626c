import { z } from 'zod';
import type { Media, OutboxRow, Target } from '#contracts';
import type { Clock } from '#kernel';
import type {
  ChannelCapabilities,
  Chunk,
  Downloaded,
  DownloadLimits,
  OutboundChannel,
  SendContext,
  SendOutcome,
} from '../channel-port.js';
import { answerJson, post, retryAfterMs, type HttpAnswer } from '../delivery-outcome.js';
import type { RenderedChunk } from '../markdown/dialect.js';
import { plainDialect } from '../markdown/plain.dialect.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { renderSource } from '../markdown/render-source.js';
import type { MediaFetch } from '../media/media-fetch.js';
import { standardWebhookHeaders } from './signing-key.js';

const answerSchema = z.object({ id: z.union([z.string().min(1), z.number()]) });

interface WebhookOutboundOptions {
  /** Absent: this account only receives. */
  url: URL | undefined;
  key: Buffer;
  /** Else Markdown as the model wrote it. */
  plainText: boolean;
  capabilities: ChannelCapabilities;
  clock: Clock;
  media: MediaFetch;
}

/** Generic webhook out. Where the receiver drops a repeated `Idempotency-Key`, whatever is in doubt is posted again. */
export class WebhookOutbound implements OutboundChannel {
  readonly capabilities: ChannelCapabilities;

  constructor(private readonly options: WebhookOutboundOptions) {
    this.capabilities = options.capabilities;
  }

  /** Media goes with the first part, buttons with the last. */
  render({ text, action, media, buttons }: OutboxRow): Chunk[] {
    // An action is one request, however long its text.
    const pieces = this.pieces(text, action ? Infinity : this.capabilities.maxTextLength);
    return pieces.map((piece, index) => ({
      text: piece.text,
      payload: {
        ...(action && { action }),
        ...(media && index === 0 && { media }),
        ...(buttons && index === pieces.length - 1 && { buttons }),
      },
    }));
  }

  private pieces(text: string, most: number): RenderedChunk[] {
    return this.options.plainText ? renderMarkdown(text, plainDialect, most) : renderSource(text, most);
  }

  async send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const { url, key, clock } = this.options;
    if (!url) return { kind: 'refused', reason: `account "${target.account}" has no outboundUrl` };
    const id = context.idempotencyKey;
    const body = bodyOf(target, chunk, context);
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': id,
      ...standardWebhookHeaders(key, id, Math.floor(clock.now() / 1000), body),
    };
    const answer = await post({ url, headers, body }, context, signal);
    return answer.kind === 'answer' ? outcomeOf(answer, id, clock.now(), this.capabilities.dedupe) : answer;
  }

  /** An attachment is where its sender says it is. */
  download({ ref }: Media, limits: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    return this.options.media.fetch({ url: ref }, limits, signal);
  }
}

function bodyOf(target: Target, chunk: Chunk, { idempotencyKey, row, possibleDuplicate = false }: SendContext): string {
  return JSON.stringify({
    id: idempotencyKey,
    turnId: row.turn,
    sequenceInTurn: row.n,
    deliveryMode: row.mode,
    conversation: target.conversation,
    thread: target.thread ?? null,
    replyTo: target.replyTo ?? null,
    text: chunk.text,
    ...chunk.payload,
    possibleDuplicate,
  });
}

/** A 500, 502 or 504 may come after the message was taken; the other refusals say that it was not. */
const AMBIGUOUS = new Set([500, 502, 504]);

function outcomeOf(answer: HttpAnswer, id: string, now: number, dedupe: boolean): SendOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent', platformId: String(answerJson(answer, answerSchema)?.id ?? id) };
  const reason = `the receiver answered ${status}`;
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'refused', reason };
  if (!dedupe && AMBIGUOUS.has(status)) return { kind: 'unknown', reason };
  const floor = retryAfterMs(answer.headers, now);
  return { kind: 'retry', reason, ...(floor !== undefined && { retryAfterMs: floor }) };
}
