import { hash } from 'node:crypto';

export type TenantId = string & { readonly __brand: 'TenantId' };
export type AgentId = string & { readonly __brand: 'AgentId' };
/** One conversation of one agent = one actor. Minted by libs/routing. */
export type SessionKey = string & { readonly __brand: 'SessionKey' };
/** Where deliveries keep their order: channel + account + conversation + thread. Minted by libs/routing. */
export type ConversationKey = string & { readonly __brand: 'ConversationKey' };
export type MessageId = string & { readonly __brand: 'MessageId' };
/** `<first message id>~<generation>`; the generation rises only on a replay by hand. */
export type TurnId = string & { readonly __brand: 'TurnId' };
/** `<turn id>-<n>`: the identity of whatever leaves a session. */
export type OutboxRowId = string & { readonly __brand: 'OutboxRowId' };

/** Everything that makes one platform event this event and no other. */
export interface PlatformScope {
  channel: string;
  account: string;
  conversation: string;
  kind: string;
  platformId: string;
  /** 0 for the original, then the edit's own version (for example its date). */
  edit?: number;
}

/** 23 base64url characters = 138 bits: concurrent twins meet on one id, other events never do. */
const HASH_CHARS = 23;

/** Starts with a letter because BullMQ refuses custom job ids that are integers. */
export function messageId(scope: PlatformScope): MessageId {
  const { channel, account, conversation, kind, platformId, edit = 0 } = scope;
  const text = JSON.stringify([channel, account, conversation, kind, platformId, edit]);
  return `m${hash('sha256', text, 'base64url').slice(0, HASH_CHARS)}` as MessageId;
}

export function outboxRowId(turn: TurnId, n: number): OutboxRowId {
  return `${turn}-${n}` as OutboxRowId;
}

export function turnIdOf(first: MessageId, generation: number): TurnId {
  return `${first}~${generation}` as TurnId;
}
