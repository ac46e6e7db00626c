import type { Media, OutboxRow, Target } from '#contracts';
import type { Clock } from '#kernel';
import type {
  Chunk,
  Downloaded,
  DownloadLimits,
  OutboundChannel,
  PreviewSign,
  RateScope,
  SendContext,
  SendOutcome,
  TypingSign,
} from '../channel-port.js';
import { MediaFetch } from '../media/media-fetch.js';
import type { ForumChats } from './forum-chats.js';
import { TelegramApi } from './telegram-api.js';
import { GENERAL_TOPIC } from './telegram-asks.js';
import { telegramDescription } from './telegram-description.js';
import { downloadFile } from './telegram-download.js';
import { payloadSchema, type Payload } from './telegram-payload.js';
import { TelegramPreview } from './telegram-preview.js';
import { renderRow } from './telegram-render.js';
import { TelegramSending } from './telegram-sending.js';

interface TelegramOutboundOptions {
  apiRoot: string;
  botToken: string;
  clock: Clock;
  forums: ForumChats;
  /** For files to upload. */
  media: MediaFetch;
}

/** The sending half of one bot. */
export class TelegramOutbound implements OutboundChannel {
  readonly capabilities = telegramDescription.capabilities;
  /** "The status is set for 5 seconds or less (when a message arrives from your bot, Telegram clients clear it)". */
  readonly typing: TypingSign = { lastsMs: 5_000, show: (target, timeoutMs) => this.showTyping(target, timeoutMs) };
  readonly preview: PreviewSign;
  private readonly api: TelegramApi;
  private readonly sending: TelegramSending;
  /** For files of chats, which the Bot API server itself gives out. */
  private readonly files: MediaFetch;

  constructor(private readonly options: TelegramOutboundOptions) {
    this.api = new TelegramApi(options);
    this.sending = new TelegramSending(this.api, options.media, options.clock);
    this.preview = new TelegramPreview(this.api, this.sending);
    this.files = new MediaFetch({ trustedOrigins: [new URL(options.apiRoot).origin] });
  }

  render(row: OutboxRow): Chunk[] {
    return renderRow(row);
  }

  /** "avoid sending more than one message per second" in a chat, "20 messages per minute" in a group, "no more than 30 per second" overall. */
  rates({ conversation }: Target): RateScope[] {
    const rates: RateScope[] = [
      { scope: 'bot', key: '', count: 30, perMs: 1000 },
      { scope: 'chat', key: conversation, count: 1, perMs: 1000 },
    ];
    return conversation.startsWith('-') ? [...rates, { scope: 'group', key: conversation, count: 20, perMs: 60_000 }] : rates;
  }

  async send(target: Target, chunk: Chunk, { timeoutMs }: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const payload = payloadSchema.parse(chunk.payload);
    if (payload.do === 'refuse') return { kind: 'refused', reason: payload.reason };
    const malformed = idsOf(target, payload).find((id) => id !== undefined && !/^\d+$/.test(id));
    if (malformed !== undefined)
      return { kind: 'refused', reason: `"${malformed}" is not the id of a Telegram topic or message` };
    return this.sending.send(payload, target, { timeoutMs, signal });
  }

  download({ ref }: Media, limits: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    return downloadFile({ api: this.api, files: this.files, fileId: ref }, limits, signal);
  }

  private async showTyping({ conversation, thread }: Target, timeoutMs: number): Promise<void> {
    const topic = thread ?? (this.options.forums.has(conversation) ? GENERAL_TOPIC : undefined);
    const place = { chat_id: conversation, ...(topic !== undefined && { message_thread_id: Number(topic) }) };
    const signal = AbortSignal.timeout(timeoutMs);
    await this.api.call({ method: 'sendChatAction', params: { ...place, action: 'typing' } }, { timeoutMs, signal });
  }
}

function idsOf({ thread, replyTo }: Target, payload: Payload): (string | undefined)[] {
  return [thread, replyTo, 'message' in payload ? payload.message : undefined];
}
