import type { Envelope, Target } from '#contracts';
import { loadConfig } from '#config';
import { Platform } from '#host';
import { messageId, type AgentId, type SessionKey, type TenantId } from '#kernel';
import { sessionKey } from '#routing';
import { createLogger } from '#telemetry';

const TENANT = 'default' as TenantId;
const AGENT = 'main' as AgentId;

/** The platform of a test process, to give sessions mail and to look at what became of it. */
export function openPlatform(configFile: string): Promise<Platform> {
  return Platform.open(
    loadConfig({ env: { TURNPIKE_CONFIG: configFile, OPENAI_API_KEY: 'test' } }),
    createLogger({ level: 'silent', name: 'test' }).logger,
  );
}

export function sessionOf(conversation: string, channel = 'generic', account = 'dedupe'): SessionKey {
  return sessionKey({ tenant: TENANT, agent: AGENT, channel, account, chatType: 'direct', conversation });
}

/** A message as ingress makes one. `n` is the platform id of its event, and where it is `named` of the message too. */
export function envelopeOf(
  target: Target,
  n: number,
  text: string,
  options: { watched?: boolean; named?: boolean } = {},
): Envelope {
  const { channel, account, conversation } = target;
  return {
    v: 1,
    id: messageId({ channel, account, conversation, kind: 'message', platformId: String(n) }),
    tenant: TENANT,
    agent: AGENT,
    session: sessionOf(conversation, channel, account),
    class: 'interactive',
    kind: 'message',
    target,
    sender: { id: 'user', name: null, isBot: false },
    text,
    media: [],
    platform: {
      eventId: String(n),
      messageId: options.named ? String(n) : null,
      replyTo: null,
      chatType: 'direct',
      mentionsBot: false,
      edited: false,
    },
    at: Date.now(),
    watched: options.watched ?? false,
  };
}

export const ACCEPT = { idempotencyTtlMs: 3_600_000, quietMs: 0, flush: false };
