import { z } from 'zod';
import type { Media, OutboxRow, Target } from '#contracts';
import type {
  ChannelCapabilities,
  Chunk,
  Downloaded,
  DownloadLimits,
  OutboundChannel,
  RateScope,
  SendContext,
  SendOutcome,
  TypingSign,
} from '../channel-port.js';
import { post } from '../delivery-outcome.js';
import { readGraphAnswer, WINDOW_CLOSED, type GraphAnswer } from './graph-answer.js';
import { templateOf, type WhatsAppTemplate } from './template.js';
import { whatsappDescription } from './whatsapp-description.js';
import type { WhatsAppMedia } from './whatsapp-media.js';
import { messagesOf } from './whatsapp-messages.js';

const payloadSchema = z.union([
  z.object({ message: z.looseObject({ type: z.string() }), first: z.boolean() }),
  z.object({ refused: z.string() }),
]);
type Message = Record<string, unknown>;

/** "Customer service window": free text goes out within 24 hours of what the person last wrote. */
const REPLY_WINDOW_MS = 86_400_000;

interface WhatsAppOutboundOptions {
  /** `<api root>/<version>` */
  graphUrl: string;
  phoneNumberId: string;
  accessToken: string;
  /** What goes out to whoever has not written for 24 hours. */
  template: WhatsAppTemplate | undefined;
  media: WhatsAppMedia;
}

/** `POST /<number>/messages` of one business number. */
export class WhatsAppOutbound implements OutboundChannel {
  readonly capabilities: ChannelCapabilities = whatsappDescription.capabilities;
  /** One call marks what it answers as read and shows the sign "until you respond, or after 25 seconds". */
  readonly typing: TypingSign = { lastsMs: 25_000, show: (target, timeoutMs) => this.showTyping(target, timeoutMs) };

  constructor(private readonly options: WhatsAppOutboundOptions) {}

  render(row: OutboxRow): Chunk[] {
    return messagesOf(row);
  }

  /** "80 messages per second" from a number, "1 message every 6 seconds" to the same person. */
  rates({ conversation }: Target): RateScope[] {
    return [
      { scope: 'number', key: '', count: 80, perMs: 1_000 },
      { scope: 'pair', key: conversation, count: 1, perMs: 6_000 },
    ];
  }

  async send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const payload = payloadSchema.parse(chunk.payload);
    if ('refused' in payload) return { kind: 'refused', reason: payload.refused };
    if (!/^\d+$/.test(target.conversation)) return { kind: 'refused', reason: 'the conversation is not a WhatsApp number' };
    const call = async (message: Message): Promise<GraphAnswer> => {
      const { idempotencyKey } = context;
      // The statuses that follow bring the key back, whoever receives them.
      const sent = {
        ...message,
        recipient_type: 'individual',
        to: target.conversation,
        biz_opaque_callback_data: idempotencyKey,
      };
      const answer = await this.post(sent, context.timeoutMs, signal);
      if (answer.kind !== 'answer') return { outcome: answer };
      return readGraphAnswer({ ...answer, body: answer.body.replaceAll(this.options.accessToken, '<token>') });
    };
    const { sinceInboundMs = 0 } = context;
    if (sinceInboundMs >= REPLY_WINDOW_MS) return this.outsideWindow(chunk, payload.first, call);
    const { outcome, code } = await call(payload.message);
    return code === WINDOW_CLOSED ? this.outsideWindow(chunk, payload.first, call) : outcome;
  }

  /** A long answer is one template, not five: what did not go out is a dead letter, to be replayed when the person has written. */
  private async outsideWindow(
    chunk: Chunk,
    first: boolean,
    call: (message: Message) => Promise<GraphAnswer>,
  ): Promise<SendOutcome> {
    const { template } = this.options;
    const closed = `${WINDOW_CLOSED} the person has not written for 24 hours`;
    if (!template) return { kind: 'refused', reason: `${closed}, and this account has no template` };
    if (!first) return { kind: 'refused', reason: `${closed}: template "${template.name}" went out for the first part` };
    return (await call(templateOf(template, chunk.text))).outcome;
  }

  download({ ref }: Media, limits: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    return this.options.media.download(ref, limits, signal);
  }

  private async showTyping({ replyTo }: Target, timeoutMs: number): Promise<void> {
    if (replyTo === undefined) return;
    const read = { status: 'read', message_id: replyTo, typing_indicator: { type: 'text' } };
    await this.post(read, timeoutMs, AbortSignal.timeout(timeoutMs));
  }

  private post(message: Message, timeoutMs: number, signal: AbortSignal): ReturnType<typeof post> {
    const { graphUrl, phoneNumberId, accessToken } = this.options;
    const url = new URL(`${graphUrl}/${phoneNumberId}/messages`);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
    return post({ url, headers, body: JSON.stringify({ messaging_product: 'whatsapp', ...message }) }, { timeoutMs }, signal);
  }
}
