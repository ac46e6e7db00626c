import type { Target } from '#contracts';
import { InvalidInputError, type AgentId, type ConversationKey, type SessionKey, type TenantId } from '#kernel';
import { joinParts, splitParts } from './key-parts.js';
import { CHAT_TYPES, peerIds, type ChatType, type Place } from './place.js';

/** Which direct chats of an agent are one session, and whether groups have sessions of their own (RT-2). */
export interface SessionScopes {
  dmScope: 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer';
  groupScope: 'per-group' | 'main';
}

interface Owner {
  tenant: TenantId;
  agent: AgentId;
}

/** Whom a key is about. A person is known by the name that identityLinks give, and so is nobody's platform id. */
type PeerKind = ChatType | 'person';

/** What makes one conversation of one agent: every chat, group and thread on every account has its own. */
export interface SessionAddress extends Owner {
  channel: string;
  account: string;
  chatType: PeerKind;
  conversation: string;
  thread?: string | undefined;
}

/** What a scope leaves out is absent. Conversation and thread are null where the key holds only their hash. */
export interface ParsedSessionKey extends Owner {
  kind: PeerKind | 'main';
  channel?: string;
  account?: string;
  conversation?: string | null;
  thread?: string | null;
}

/** The form of a key is told by the number of its parts: main 3, per peer 4, per channel and peer 5, the rest 6, with a thread 7. */
const MAIN = 'main';
const PEER_KINDS: readonly PeerKind[] = [...CHAT_TYPES, 'person'];

/** At most 200 of A-Z a-z 0-9 _ - ~ and dots. Throws InvalidInputError for broken Unicode and for names too long together. */
export function sessionKey({ tenant, agent, channel, account, chatType, conversation, thread }: SessionAddress): SessionKey {
  const parts = [tenant, agent, channel, account, chatType, conversation];
  return joinParts(thread === undefined ? parts : [...parts, thread], 5) as SessionKey;
}

/** A session that no chat channel made: the API's and the web chat's. Throws like sessionKey. */
export function apiSessionKey(tenant: TenantId, agent: AgentId, name: string): SessionKey {
  if (name === '') throw new InvalidInputError('The session name is empty; name the session');
  return sessionKey({ tenant, agent, channel: 'webchat', account: 'default', chatType: 'direct', conversation: name });
}

/**
 * The session of a chat as the scopes say. A thread belongs to one chat and always has a session of its own.
 * @param persons name by `<channel>:<id>`. Throws like sessionKey.
 */
export function chatSessionKey(
  { tenant, agent }: Owner,
  place: Place,
  { dmScope, groupScope }: SessionScopes,
  persons: ReadonlyMap<string, string>,
): SessionKey {
  const { channel, account, chatType, conversation, thread } = place;
  const isDirect = chatType === 'direct';
  const inThread = thread !== undefined;
  if (!inThread && (isDirect ? dmScope : groupScope) === MAIN) return joinParts([tenant, agent, MAIN], 3) as SessionKey;
  const person = isDirect ? peerIds(place).flatMap((id) => persons.get(`${channel}:${id}`) ?? [])[0] : undefined;
  const kind = person === undefined ? chatType : 'person';
  const peer = person ?? place.person ?? conversation;
  if (isDirect && !inThread && dmScope === 'per-peer') return joinParts([tenant, agent, kind, peer], 3) as SessionKey;
  if (isDirect && !inThread && dmScope === 'per-channel-peer')
    return joinParts([tenant, agent, channel, kind, peer], 4) as SessionKey;
  return sessionKey({ tenant, agent, channel, account, chatType: kind, conversation: person ?? conversation, thread });
}

/** undefined for a text that is no key made here. */
export function parseSessionKey(key: string): ParsedSessionKey | undefined {
  const [tenant, agent, ...rest] = splitParts(key) ?? [];
  const place = tenant == null || agent == null ? undefined : placeIn(rest);
  return place && { tenant: tenant as TenantId, agent: agent as AgentId, ...place };
}

function placeIn(parts: readonly (string | null)[]): Omit<ParsedSessionKey, keyof Owner> | undefined {
  if (parts.length === 1) return parts[0] === MAIN ? { kind: MAIN } : undefined;
  const names = Math.min(parts.length - 2, 2);
  const [channel, account] = parts.slice(0, names);
  const [type, conversation = null, thread, ...surplus] = parts.slice(names);
  const kind = PEER_KINDS.find((known) => known === type);
  if (!kind || channel === null || account === null || surplus.length > 0) return undefined;
  // Only direct chats are shared over accounts.
  if (names < 2 && kind !== 'direct' && kind !== 'person') return undefined;
  return {
    kind,
    ...(channel !== undefined && { channel }),
    ...(account !== undefined && { account }),
    conversation,
    ...(thread !== undefined && { thread }),
  };
}

/** Where deliveries keep their order. `replyTo` is no part of it. Throws like sessionKey. */
export function conversationKey(tenant: TenantId, { channel, account, conversation, thread }: Target): ConversationKey {
  const parts = [tenant, channel, account, conversation];
  return joinParts(thread === undefined ? parts : [...parts, thread], 3) as ConversationKey;
}

/** Where the deliveries of a key go. An id of which the key holds only a hash is that hash: as good for telling chats apart. */
export function conversationPlace(key: ConversationKey): Target {
  const texts = key.split('.');
  const parts = splitParts(key) ?? texts;
  const [, channel = '', account = '', conversation = '', thread] = parts.map((part, index) => part ?? texts[index] ?? '');
  return { channel, account, conversation, ...(thread !== undefined && { thread }) };
}
