import { ENVELOPE_VERSION, type Envelope } from '#contracts';
import { messageId, type AgentId, type TenantId } from '#kernel';
import { sessionKey } from '#routing';
import type { Item } from './questions.js';
import type { TurnShape } from './turn-shape.js';

export const CHANNEL = 'recording';
export const ACCOUNT = 'bench';
const LENGTH = 100;
const agent = 'main' as AgentId;

/** A direct message from a chat channel, as ingress would make it; both sides of the bench carry the same. */
export function envelopeOf({ n, session, shape = 'plain', tenant: name = 'default', watched = false }: Item): Envelope {
  const tenant = name as TenantId;
  const conversation = `c${session}`;
  const eventId = String(n);
  return {
    v: ENVELOPE_VERSION,
    id: messageId({ channel: CHANNEL, account: ACCOUNT, conversation, kind: 'message', platformId: eventId }),
    tenant,
    agent,
    session: sessionKey({ tenant, agent, channel: CHANNEL, account: ACCOUNT, chatType: 'direct', conversation }),
    class: 'interactive',
    kind: 'message',
    target: { channel: CHANNEL, account: ACCOUNT, conversation },
    sender: { id: conversation, name: null, isBot: false },
    text: textOf(n, shape),
    media: [],
    platform: { eventId, messageId: eventId, replyTo: null, chatType: 'direct', mentionsBot: true, edited: false },
    at: Date.now(),
    watched,
  };
}

/** 100 characters that name the message and the shape of its turn; the model answers with the same. */
function textOf(n: number, shape: TurnShape): string {
  return `#${n} ${shape} `.padEnd(LENGTH, 'x');
}

export function numberIn(text: string): number {
  return Number(/#(\d+) /.exec(text)?.[1]);
}
