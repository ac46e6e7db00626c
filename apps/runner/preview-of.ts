import type { ChannelRegistry } from '#channels';
import { systemClock } from '#kernel';
import type { Platform } from '#host';
import type { ClaimedSession } from '#sessions';
import { isMuted, type ClaimedTurn } from './claimed-turn.js';
import { TurnPreview } from './turn-preview.js';
import { leavesAtEnd } from './turn-sends.js';

export interface PreviewPlace {
  channels: ChannelRegistry;
  platform: Pick<Platform, 'sparePermits'>;
  session: ClaimedSession;
  lockMs: number;
}

/** The preview of a turn, where its account streams: it shows nothing once another claim may have the turn. */
export function previewOf(turn: ClaimedTurn, { channels, platform, session, lockMs }: PreviewPlace): TurnPreview | undefined {
  const { target, sender } = turn.envelopes[0];
  const sign = channels.preview(target);
  const canSendNow = channels.find(target.channel, target.account)?.outbound.capabilities.immediateSend;
  if (!sign || !canSendNow || isMuted(turn)) return undefined;
  const limits = { ...target, rates: [...channels.rates(target), ...(sign.rates?.(target) ?? [])] };
  let updates = 0;
  const mayShow = async (): Promise<boolean> => {
    const asked = systemClock.monotonic();
    const permit = `${turn.claim.key}/${turn.claim.fence}/${++updates}`;
    // A step of nothing is refused when the fence is no longer ours.
    const [isSpare] = await Promise.all([platform.sparePermits.take(limits, permit), session.step([])]);
    return isSpare && systemClock.monotonic() - asked < lockMs / 2;
  };
  const keep = (message: string) => session.step([{ k: 'preview', message }]);
  return new TurnPreview(
    { sign, turn: turn.id, target, recipient: sender.id, clock: systemClock, mayShow, keep },
    turn.journal,
    (entry) => entry.k === 'send' && !leavesAtEnd(entry, canSendNow),
  );
}
