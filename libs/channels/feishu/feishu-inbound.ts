import type { InboundEvent } from '#contracts';
import { InvalidInputError } from '#kernel';
import type { InboundChannel, Verification, WebhookRequest } from '../channel-port.js';
import { readValue } from './card-button.js';
import { cardActionSchema, challengeSchema, eventSchema, messageEventSchema, type FeishuEvent } from './event.schema.js';
import { jsonOf, type FeishuVerifier } from './feishu-verifier.js';
import { contentOf } from './message-content.js';

interface FeishuInboundOptions {
  channel: string;
  account: string;
  appId: string;
  botOpenId: string | undefined;
  verifier: FeishuVerifier;
}

type PlatformEvent = Omit<InboundEvent, 'channel' | 'account'>;

const CARD_ACTION = 'card.action.trigger';

/** Event callbacks and card callbacks of one app. */
export class FeishuInbound implements InboundChannel {
  constructor(private readonly options: FeishuInboundOptions) {}

  verify(request: WebhookRequest): Verification {
    return this.options.verifier.verify(request);
  }

  /** Feishu asks once whether an address is yours; and waits one second. */
  handshake(request: WebhookRequest): Record<string, unknown> | undefined {
    const asked = challengeSchema.safeParse(this.read(request)).data;
    return asked && { challenge: asked.challenge };
  }

  parse(request: WebhookRequest): InboundEvent[] {
    const read = eventSchema.safeParse(this.read(request));
    if (!read.success) throw new InvalidInputError(`${read.error.issues[0]?.path.join('.')}: not an event of schema 2.0`);
    const { channel, account, appId } = this.options;
    if (read.data.header.app_id !== appId) return [];
    const event = this.eventOf(read.data);
    return event ? [{ ...event, channel, account }] : [];
  }

  /** A pressed button is an error to whoever pressed it unless its 200 says something; events need no body. */
  acknowledgement(request: WebhookRequest): Record<string, unknown> | undefined {
    return eventSchema.safeParse(this.read(request)).data?.header.event_type === CARD_ACTION ? {} : undefined;
  }

  private read({ body }: WebhookRequest): unknown {
    return jsonOf(this.options.verifier.open(body) ?? '');
  }

  private eventOf(event: FeishuEvent): PlatformEvent | undefined {
    switch (event.header.event_type) {
      case 'im.message.receive_v1':
        return this.messageOf(event);
      case CARD_ACTION:
        return pressOf(event);
      default:
        return undefined;
    }
  }

  private messageOf({ event }: FeishuEvent): PlatformEvent | undefined {
    const read = messageEventSchema.safeParse(event);
    if (!read.success) return undefined;
    const { message, sender } = read.data;
    const { botOpenId } = this.options;
    const content = contentOf(message, botOpenId);
    const thread = message.thread_id ?? null;
    return {
      kind: 'message',
      // "Use message_id to deduplicate, do not rely on event_id", says Feishu of this event alone: one message may come under two.
      eventId: message.message_id,
      edit: 0,
      conversation: message.chat_id,
      chatType: message.chat_type === 'p2p' ? 'direct' : 'group',
      thread,
      ...(thread !== null && { parent: message.chat_id }),
      messageId: message.message_id,
      sender: { id: sender.sender_id.open_id, name: null, isBot: sender.sender_type !== 'user' },
      fromSelf: botOpenId !== undefined && sender.sender_id.open_id === botOpenId,
      ...content,
      replyTo: message.parent_id ?? null,
      at: message.create_time,
      startsTurn: content.text !== null,
    };
  }
}

/** Of a card that others made, the value itself is the text; such a card stands in a group as far as anybody can tell. */
function pressOf({ header, event }: FeishuEvent): PlatformEvent | undefined {
  const read = cardActionSchema.safeParse(event);
  if (!read.success) return undefined;
  const { operator, action, context } = read.data;
  const ours = readValue(action.value);
  return {
    kind: 'callback',
    eventId: header.event_id,
    edit: 0,
    conversation: context.open_chat_id,
    chatType: ours?.direct ? 'direct' : 'group',
    thread: ours?.thread ?? null,
    messageId: context.open_message_id,
    sender: { id: operator.open_id, name: null, isBot: false },
    text: ours?.data ?? (typeof action.value === 'string' ? action.value : JSON.stringify(action.value)),
    media: [],
    replyTo: null,
    mentionsBot: false,
    at: header.create_time,
    startsTurn: true,
  };
}
