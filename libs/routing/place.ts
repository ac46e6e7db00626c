import type { InboundEvent } from '#contracts';

export const CHAT_TYPES = ['direct', 'group', 'channel'] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** Where a message comes from: all that routing looks at. */
export interface Place {
  channel: string;
  account: string;
  chatType: ChatType;
  conversation: string;
  /** Whom the direct chat is with. */
  person?: string | undefined;
  thread?: string | undefined;
  /** The conversation that the thread belongs to. */
  parent?: string | undefined;
  guild?: string | undefined;
  roles?: readonly string[] | undefined;
  team?: string | undefined;
}

export function placeOf(event: InboundEvent): Place {
  const { channel, account, chatType, conversation, parent, guild, roles, team } = event;
  const thread = event.thread ?? undefined;
  // What we wrote ourselves comes with our own id as its sender.
  const person = chatType === 'direct' && !event.fromSelf ? event.sender.id : undefined;
  return { channel, account, chatType, conversation, person, thread, parent, guild, roles, team };
}

/** The ids under which somebody may have written a place down. */
export function peerIds({ conversation, person }: Place): string[] {
  return person === undefined || person === conversation ? [conversation] : [person, conversation];
}

/** Of the chat around a thread; none where there is no thread. */
export function parentIds(place: Place): string[] {
  if (place.thread === undefined) return place.parent === undefined ? [] : [place.parent];
  return place.parent === undefined || place.parent === place.conversation ? peerIds(place) : [place.parent];
}
