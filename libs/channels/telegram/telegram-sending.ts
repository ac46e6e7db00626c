import { z } from 'zod';
import type { Target } from '#contracts';
import { TerminalError, TransientError, type Clock } from '#kernel';
import type { Downloaded, SendOutcome } from '../channel-port.js';
import type { MediaFetch } from '../media/media-fetch.js';
import type { Called, CallLimits, TelegramApi, Uploads } from './telegram-api.js';
import { askOf, type Manner } from './telegram-asks.js';
import type { Payload } from './telegram-payload.js';

type Request = Exclude<Payload, { do: 'refuse' }>;
type Refused = Extract<Called, { kind: 'refused' }>;

/** As large as what Telegram fetches by address itself. */
const MAX_UPLOAD_BYTES = 20 * 1024 * 1024;

const CANNOT_PARSE = /^400 Bad Request: can't parse (?:caption )?entities/i;
/** `allow_sending_without_reply` is "always False for replies in another chat or forum topic". */
const REPLY_GONE = /^400 Bad Request: (?:message to be replied|repl(?:y|ied) message) not found/i;
const IS_CAPTION = /^400 Bad Request: there is no text in the message to edit/i;
const CANNOT_FETCH =
  /^400 Bad Request: (?:failed to get HTTP URL content|wrong (?:file identifier\/)?HTTP URL specified|wrong type of the web page content|can't upload file by URL|.*(?:WEBPAGE_CURL_FAILED|WEBPAGE_MEDIA_EMPTY|EXTERNAL_URL_INVALID))/i;
/** What was asked for is so already. */
const DONE: Partial<Record<Request['do'], RegExp>> = {
  edit: /^400 Bad Request: message is not modified/i,
  delete: /^400 Bad Request: message to delete not found/i,
};

const sentSchema = z.object({ message_id: z.number() });
/** Of an album the first message, which has the caption. */
const resultSchema = z.union([sentSchema, z.tuple([sentSchema], sentSchema).transform(([first]) => first)]);

/** Sends one payload. A refusal proves that nothing was sent, so what can be said otherwise is said once more, each way once. */
export class TelegramSending {
  constructor(
    private readonly api: TelegramApi,
    /** For files that Telegram can't fetch itself. */
    private readonly media: MediaFetch,
    private readonly clock: Clock,
  ) {}

  async send(payload: Request, target: Target, { timeoutMs, signal }: CallLimits): Promise<SendOutcome> {
    const deadline = this.clock.monotonic() + timeoutMs;
    const left = () => Math.floor(deadline - this.clock.monotonic());
    let manner: Manner = { chat: target.conversation, formatted: true, quoting: true, caption: false };
    let uploads: Uploads = new Map();
    while (left() > 0) {
      const called = await this.api.call(askOf(payload, target, manner), { timeoutMs: left(), signal }, uploads);
      if (called.kind !== 'refused') return called.kind === 'ok' ? sent(payload, called.result) : called;
      if ('message' in payload && DONE[payload.do]?.test(called.reason)) return { kind: 'sent', platformId: payload.message };
      const other = otherManner(manner, called);
      if (other) {
        manner = other;
        continue;
      }
      const urls = uploads.size === 0 && CANNOT_FETCH.test(called.reason) ? urlsOf(payload) : [];
      if (urls.length === 0) return { kind: 'refused', reason: called.reason };
      const fetched = await this.fetch(urls, { timeoutMs: Math.max(1, left()), signal });
      if (!(fetched instanceof Map)) return fetched;
      uploads = fetched;
    }
    return { kind: 'retry', reason: 'no time left to say it in another way' };
  }

  /** All of them together within one upload's size. */
  private async fetch(
    urls: readonly string[],
    { timeoutMs, signal }: CallLimits,
  ): Promise<Map<string, Downloaded> | SendOutcome> {
    const fetched = new Map<string, Downloaded>();
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    let room = MAX_UPLOAD_BYTES;
    try {
      for (const url of urls) {
        const file = await this.media.fetch({ url }, { maxBytes: room, timeoutMs }, deadline);
        room -= file.bytes.length;
        fetched.set(url, file);
      }
      return fetched;
    } catch (error) {
      if (error instanceof TerminalError) return { kind: 'refused', reason: error.message };
      return { kind: 'retry', reason: error instanceof TransientError ? error.message : 'no time left to fetch the file' };
    }
  }
}

/** Telegram can't read the formatting. */
export function isUnreadable(reason: string): boolean {
  return CANNOT_PARSE.test(reason);
}

function otherManner(manner: Manner, { reason, movedTo }: Refused): Manner | undefined {
  if (movedTo !== undefined && movedTo !== manner.chat) return { ...manner, chat: movedTo };
  if (manner.formatted && isUnreadable(reason)) return { ...manner, formatted: false };
  if (manner.quoting && REPLY_GONE.test(reason)) return { ...manner, quoting: false };
  if (!manner.caption && IS_CAPTION.test(reason)) return { ...manner, caption: true };
  return undefined;
}

function urlsOf(payload: Request): string[] {
  if (payload.do === 'media') return payload.items.map(({ url }) => url);
  return payload.do === 'edit' && payload.item ? [payload.item.url] : [];
}

function sent(payload: Request, result: unknown): SendOutcome {
  if ('message' in payload) return { kind: 'sent', platformId: payload.message };
  const message = resultSchema.safeParse(result).data;
  return message
    ? { kind: 'sent', platformId: String(message.message_id) }
    : { kind: 'unknown', reason: 'Telegram answered without a message' };
}
