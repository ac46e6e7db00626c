import type { Envelope } from '#contracts';
import type { ParkedTurn } from '#sessions';

/** Who may answer: whoever the question is for. Callers of the API have shown that the session is theirs. */
export function mayAnswer({ envelopes }: ParkedTurn, { sender, target, platform }: Envelope): boolean {
  if (target.channel === 'webchat' || platform.chatType === 'direct') return true;
  return envelopes.some((asked) => asked.sender.id === sender.id);
}
