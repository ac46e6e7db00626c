import type { Target } from '#contracts';
import { InvalidInputError, type AgentId, type ConversationKey, type SessionKey, type TenantId } from '#kernel';
import { joinParts, splitParts } from './key-parts.js';

const CHAT_TYPES = ['direct', 'group', 'channel'] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** What makes one conversation of one agent (RT-2): every person, group and thread on every account has its own. */
export interface SessionAddress {
  tenant: TenantId;
  agent: AgentId;
  channel: string;
  account: string;
  chatType: ChatType;
  conversation: string;
  thread?: string | undefined;
}

/** Conversation and thread are null where the key holds only their hash. */
export interface ParsedSessionKey extends Omit<SessionAddress, 'conversation' | 'thread'> {
  conversation: string | null;
  thread?: string | null;
}

const NAMED_PARTS = 5;

/** At most 200 of A-Z a-z 0-9 _ - ~ and dots. Throws InvalidInputError for broken Unicode and for names too long together. */
export function sessionKey({ tenant, agent, channel, account, chatType, conversation, thread }: SessionAddress): SessionKey {
  const parts = [tenant, agent, channel, account, chatType, conversation];
  return joinParts(thread === undefined ? parts : [...parts, thread], NAMED_PARTS) as SessionKey;
}

/** A session that no chat channel made: the API's and the web chat's. Throws like sessionKey. */
export function apiSessionKey(tenant: TenantId, agent: AgentId, name: string): SessionKey {
  if (name === '') throw new InvalidInputError('The session name is empty; name the session');
  return sessionKey({ tenant, agent, channel: 'webchat', account: 'default', chatType: 'direct', conversation: name });
}

/** undefined for a text that sessionKey never makes. */
export function parseSessionKey(key: string): ParsedSessionKey | undefined {
  const parts = splitParts(key);
  if (!parts || parts.length < NAMED_PARTS + 1 || parts.length > NAMED_PARTS + 2) return undefined;
  const [tenant, agent, channel, account, type, conversation = null, thread] = parts;
  const chatType = CHAT_TYPES.find((known) => known === type);
  if (tenant == null || agent == null || channel == null || account == null || !chatType) return undefined;
  const address = { tenant: tenant as TenantId, agent: agent as AgentId, channel, account, chatType, conversation };
  return thread === undefined ? address : { ...address, thread };
}

/** Where deliveries keep their order. `replyTo` is no part of it. Throws like sessionKey. */
export function conversationKey(tenant: TenantId, { channel, account, conversation, thread }: Target): ConversationKey {
  const parts = [tenant, channel, account, conversation];
  return joinParts(thread === undefined ? parts : [...parts, thread], 3) as ConversationKey;
}
