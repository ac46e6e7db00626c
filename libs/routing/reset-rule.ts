import { dailyBoundary } from './daily-boundary.js';

/** When a session begins anew by itself (RT-3). */
export interface ResetRule {
  /** Hour of the day in `timeZone`, 0 to 23; undefined: not by the day. */
  dailyAtHour?: number | undefined;
  /** IANA name. */
  timeZone: string;
  /** Without a turn for so long; 0: never. */
  idleMinutes: number;
}

export interface ResetRules {
  reset: ResetRule;
  resetByType: { direct?: ResetRule | undefined; group?: ResetRule | undefined; thread?: ResetRule | undefined };
  resetByChannel: Readonly<Record<string, ResetRule>>;
}

/** The channel's rule, else that of its kind of chat, else the general one. Threads of any chat are one kind; a channel counts as a group. */
export function resetRuleFor(
  { reset, resetByType, resetByChannel }: ResetRules,
  { channel, chatType, isThread }: { channel: string; chatType: 'direct' | 'group' | 'channel'; isThread: boolean },
): ResetRule {
  const kind = isThread ? 'thread' : chatType === 'direct' ? 'direct' : 'group';
  return (Object.hasOwn(resetByChannel, channel) ? resetByChannel[channel] : undefined) ?? resetByType[kind] ?? reset;
}

/** What a session remembers of its epoch; Redis time, ms. Undefined before its first turn. */
export interface EpochTimes {
  /** Its first commit. */
  began: number | undefined;
  /** Its last one. */
  last: number | undefined;
}

/**
 * Why the turn of a message accepted at `acceptedAt` begins a new epoch: the reason that came about first. Decided by when the message
 * was accepted, not by when its turn runs: a message that waits over the hour still belongs to the day it was sent.
 */
export function resetDue(
  { dailyAtHour, timeZone, idleMinutes }: ResetRule,
  { began, last }: EpochTimes,
  acceptedAt: number,
): 'daily' | 'idle' | undefined {
  if (began === undefined || last === undefined) return undefined;
  const idleAt = idleMinutes > 0 ? last + idleMinutes * 60_000 : Infinity;
  const boundary = dailyAtHour === undefined ? -Infinity : dailyBoundary(dailyAtHour, timeZone, acceptedAt);
  const isNewDay = boundary > began;
  if (acceptedAt >= idleAt && !(isNewDay && boundary < idleAt)) return 'idle';
  return isNewDay ? 'daily' : undefined;
}
