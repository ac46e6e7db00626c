import { ENVELOPE_VERSION, type Envelope, type InboundEvent, type MessageContext, type Target } from '#contracts';
import { messageId } from '#kernel';
import { placeOf } from './place.js';
import type { Route, Router } from './router.js';

export interface Arrival {
  /** Somebody watches the session live. */
  watched: boolean;
  /** For events without a time of their own, ms since the epoch. */
  receivedAt: number;
}

export interface RoutedEnvelope {
  envelope: Envelope;
  route: Route;
}

/**
 * Addresses one event to its session. undefined = nothing for an agent to see (a member joined, another bot spoke).
 * Throws InvalidInputError when nobody owns it, or its ids make no session key.
 */
export function routeInbound(event: InboundEvent, router: Router, { watched, receivedAt }: Arrival): RoutedEnvelope | undefined {
  const isRecord = event.kind === 'edit' || event.kind === 'reaction';
  if (!isRecord && !event.startsTurn) return undefined;
  const { channel, account, conversation, thread, chatType, replyHandle } = event;
  const route = router.route(placeOf(event));
  const { tenant, agent, session } = route;
  const target: Target = {
    channel,
    account,
    conversation,
    ...(thread !== null && { thread }),
    ...(replyHandle !== undefined && { replyTo: replyHandle }),
    chatType,
  };
  const envelope: Envelope = {
    v: ENVELOPE_VERSION,
    id: messageId({ channel, account, conversation, kind: event.kind, platformId: event.eventId, edit: event.edit }),
    tenant,
    agent,
    session,
    class: 'interactive',
    kind: isRecord ? 'record' : 'message',
    target,
    sender: event.sender,
    text: event.text ?? '',
    media: event.media,
    ...contextOf(event),
    platform: platformOf(event),
    at: event.at ?? receivedAt,
    watched,
  };
  return { envelope, route };
}

/** What the platform shows beside the message. */
function contextOf({ title, quoted }: InboundEvent): Pick<Envelope, 'context'> {
  const context: MessageContext[] = [];
  if (title !== undefined) context.push({ kind: 'title', text: title });
  if (quoted) context.push({ kind: 'quote', text: quoted.text, ...(quoted.sender !== null && { from: quoted.sender }) });
  return context.length > 0 ? { context } : {};
}

function platformOf(event: InboundEvent): Envelope['platform'] {
  const { eventId, messageId: message, replyTo, chatType, mentionsBot, kind, groupKey: album } = event;
  const place = { eventId, messageId: message, replyTo, chatType, mentionsBot, edited: kind === 'edit' };
  return album === undefined ? place : { ...place, album };
}
