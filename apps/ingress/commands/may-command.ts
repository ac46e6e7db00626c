import type { Envelope } from '#contracts';
import type { CommandSpec } from '#routing';

/** Who may: anybody who is heard; where a command is for owners, whoever has a token of the API, or a chat of their own. */
export function mayCommand({ who }: CommandSpec, { platform, target }: Envelope): boolean {
  return who === 'anyone' || target.channel === 'webchat' || platform.chatType === 'direct';
}
