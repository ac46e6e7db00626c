import type { InboundEvent } from '#contracts';
import type { InboundChannel, WebhookRequest } from '../channel-port.js';
import { equalInConstantTime } from '../constant-time.js';
import { readJson } from '../json-body.js';
import { bodySignature } from './signing-key.js';
import { webhookMessageSchema, webhookPlaceSchema, webhookTypeSchema } from './webhook-message.schema.js';

interface WebhookInboundOptions {
  channel: string;
  account: string;
  key: Buffer;
  /** Names a message whose sender gave it no id. */
  newId: () => string;
}

/** Generic webhook in: any system that can sign a JSON body can talk to an agent. */
export class WebhookInbound implements InboundChannel {
  constructor(private readonly options: WebhookInboundOptions) {}

  verify({ headers, body }: WebhookRequest) {
    const given = headers['x-signature-256'];
    if (given === undefined) return { ok: false as const, reason: 'x-signature-256 is missing' };
    if (equalInConstantTime(bodySignature(this.options.key, body), given)) return { ok: true as const };
    return { ok: false as const, reason: 'x-signature-256 is not sha256=<hex HMAC-SHA256 of the raw body> with this secret' };
  }

  parse(request: WebhookRequest): InboundEvent[] {
    if (readJson(request, webhookTypeSchema).type !== 'message') return [];
    const message = readJson(request, webhookMessageSchema);
    const { channel, account, newId } = this.options;
    const id = message.id ?? newId();
    const { sender, conversation } = message;
    return [
      {
        channel,
        account,
        kind: 'message',
        eventId: id,
        edit: 0,
        conversation: conversation.id,
        chatType: conversation.type,
        thread: message.thread ?? null,
        messageId: id,
        sender: { id: sender.id, name: sender.name ?? null, isBot: sender.isBot },
        text: message.text,
        media: message.attachments.map(({ url, ...rest }) => ({ ref: url, ...rest })),
        replyTo: message.replyTo ?? null,
        mentionsBot: message.mentionsBot,
        at: message.timestamp === undefined ? null : Date.parse(message.timestamp),
        startsTurn: true,
        ...webhookPlaceSchema.parse(message),
      },
    ];
  }
}
