import { randomUUID } from 'node:crypto';
import { ENVELOPE_VERSION, type Envelope } from '#contracts';
import { messageId } from '#kernel';
import type { Caller } from '../access/callers.js';
import type { SessionPlace } from '../access/session-access.js';
import type { MessageBody } from './message-body.schema.js';

/** Replies to what comes over HTTP or the web chat go to the session's event stream. */
const CHANNEL = 'webchat';
const ACCOUNT = 'default';

/**
 * The message of an API request. The same idempotency key in the same session makes the same message id, whoever retries it and
 * on whichever replica.
 */
export function apiEnvelope(
  caller: Caller,
  { key, address }: SessionPlace,
  body: MessageBody,
  idempotencyKey: string = randomUUID(),
): Envelope {
  const scope = { channel: CHANNEL, account: caller.tenant, conversation: key, kind: 'message' };
  const id = messageId({ ...scope, platformId: idempotencyKey });
  const conversation = address.channel === CHANNEL && address.conversation != null ? address.conversation : key;
  return {
    v: ENVELOPE_VERSION,
    id,
    tenant: address.tenant,
    agent: address.agent,
    session: key,
    class: 'interactive',
    kind: 'message',
    target: { channel: CHANNEL, account: ACCOUNT, conversation },
    sender: { id: caller.name, name: null, isBot: false },
    text: body.message,
    media: body.attachments.map(({ url, ...rest }) => ({ ref: url, ...rest })),
    platform: { eventId: id, messageId: null, replyTo: null, chatType: 'direct', mentionsBot: true, edited: false },
    at: Date.now(),
    watched: true,
  };
}
