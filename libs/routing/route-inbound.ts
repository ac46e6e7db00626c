import { ENVELOPE_VERSION, type Envelope, type InboundEvent, type MessageContext, type Target } from '#contracts';
import { messageId, type AgentId, type TenantId } from '#kernel';
import { sessionKey } from './session-key.js';

export interface Route {
  tenant: TenantId;
  agent: AgentId;
  /** Somebody watches the session live. */
  watched: boolean;
  /** For events without a time of their own, ms since the epoch. */
  receivedAt: number;
}

/**
 * Addresses one event to its session. undefined = nothing for an agent to see (a member joined, another bot spoke).
 * Throws InvalidInputError when the event's ids make no session key.
 */
export function routeInbound(event: InboundEvent, { tenant, agent, watched, receivedAt }: Route): Envelope | undefined {
  if (event.kind !== 'edit' && !event.startsTurn) return undefined;
  const { channel, account, conversation, chatType } = event;
  const thread = event.thread ?? undefined;
  const target: Target = { channel, account, conversation, ...(thread === undefined ? {} : { thread }) };
  return {
    v: ENVELOPE_VERSION,
    id: messageId({ channel, account, conversation, kind: event.kind, platformId: event.eventId, edit: event.edit }),
    tenant,
    agent,
    session: sessionKey({ tenant, agent, channel, account, chatType, conversation, thread }),
    class: 'interactive',
    kind: event.kind === 'edit' ? 'record' : 'message',
    target,
    sender: event.sender,
    text: event.text ?? '',
    media: event.media,
    ...contextOf(event),
    platform: platformOf(event),
    at: event.at ?? receivedAt,
    watched,
  };
}

/** What the platform shows beside the message. */
function contextOf({ title, quoted }: InboundEvent): Pick<Envelope, 'context'> {
  const context: MessageContext[] = [];
  if (title !== undefined) context.push({ kind: 'title', text: title });
  if (quoted) context.push({ kind: 'quote', text: quoted.text, ...(quoted.sender !== null && { from: quoted.sender }) });
  return context.length > 0 ? { context } : {};
}

function platformOf({ eventId, messageId: message, replyTo, chatType, mentionsBot, kind }: InboundEvent): Envelope['platform'] {
  return { eventId, messageId: message, replyTo, chatType, mentionsBot, edited: kind === 'edit' };
}
