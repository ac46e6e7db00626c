import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import type { InboundEvent } from '#contracts';
import type { DeliveryReport, InboundChannel, Verification, WebhookRequest } from '../channel-port.js';
import { equalInConstantTime } from '../constant-time.js';
import { readJson } from '../json-body.js';
import { contentOf } from './message-content.js';
import {
  contactSchema,
  messageSchema,
  notificationSchema,
  statusSchema,
  valueSchema,
  type WhatsAppStatus,
} from './notification.schema.js';

interface WhatsAppInboundOptions {
  channel: string;
  account: string;
  phoneNumberId: string;
  appSecret: string;
  verifyToken: string;
}

/** Webhook half of one business number. */
export class WhatsAppInbound implements InboundChannel {
  constructor(private readonly options: WhatsAppInboundOptions) {}

  /** Meta signs what it posts. The GET with which it checks a new address is proven by the token you gave it. */
  verify({ method, query, headers, body }: WebhookRequest): Verification {
    if (method === 'GET') {
      const isAsked = query['hub.mode'] === 'subscribe';
      if (isAsked && equalInConstantTime(this.options.verifyToken, query['hub.verify_token'] ?? '')) return { ok: true };
      return { ok: false, reason: 'hub.verify_token is not the configured verifyToken' };
    }
    const given = headers['x-hub-signature-256'];
    if (given === undefined) return { ok: false, reason: 'x-hub-signature-256 is missing' };
    const signature = `sha256=${createHmac('sha256', this.options.appSecret).update(body).digest('hex')}`;
    if (equalInConstantTime(signature, given)) return { ok: true };
    return { ok: false, reason: 'x-hub-signature-256 is not sha256=<hex HMAC-SHA256 of the raw body> with this appSecret' };
  }

  handshake({ method, query }: WebhookRequest): string | undefined {
    return method === 'GET' ? (query['hub.challenge'] ?? '') : undefined;
  }

  parse(request: WebhookRequest): InboundEvent[] {
    return this.valuesOf(request).flatMap(({ messages, contacts }) => {
      const names = new Map(each(contacts, contactSchema).map(({ wa_id: id, profile }) => [id, profile.name]));
      return each(messages, messageSchema).map((message) => ({
        channel: this.options.channel,
        account: this.options.account,
        eventId: message.id,
        edit: 0,
        conversation: message.from,
        chatType: 'direct' as const,
        thread: null,
        sender: { id: message.from, name: names.get(message.from) ?? null, isBot: false },
        ...contentOf(message),
        mentionsBot: false,
        at: message.timestamp * 1000,
      }));
    });
  }

  reports(request: WebhookRequest): DeliveryReport[] {
    return this.valuesOf(request).flatMap(({ statuses }) => each(statuses, statusSchema).map(reportOf));
  }

  /** Of this number: an app may have several, and posts them all to one address. */
  private valuesOf(request: WebhookRequest): z.infer<typeof valueSchema>[] {
    const { entry } = readJson(request, notificationSchema);
    const changes = entry.flatMap(({ changes }) => changes).filter(({ field }) => field === 'messages');
    const values = each(
      changes.map(({ value }) => value),
      valueSchema,
    );
    return values.filter(({ metadata }) => metadata.phone_number_id === this.options.phoneNumberId);
  }
}

/** Those that are of the shape. */
function each<T>(items: readonly unknown[], schema: z.ZodType<T>): T[] {
  return items.flatMap((item) => {
    const read = schema.safeParse(item);
    return read.success ? [read.data] : [];
  });
}

function reportOf({ id, status, timestamp, recipient_id, errors, biz_opaque_callback_data }: WhatsAppStatus): DeliveryReport {
  const [error] = errors ?? [];
  const report = { message: id, conversation: recipient_id, state: status, at: timestamp * 1000 };
  return {
    ...report,
    ...(biz_opaque_callback_data !== undefined && { idempotencyKey: biz_opaque_callback_data }),
    ...(error && { reason: [error.code, error.error_data?.details ?? error.title].filter(Boolean).join(' ') }),
  };
}
