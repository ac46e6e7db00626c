import type { PreviewOutcome, SendOutcome } from './channel-port.js';

/** What became of an update that is a send or an edit. Refused: somebody deleted the message, or it can't be changed. */
export function previewed(outcome: SendOutcome): PreviewOutcome {
  switch (outcome.kind) {
    case 'sent':
      return { kind: 'shown', message: outcome.platformId };
    case 'retry':
      return { kind: 'later', ...(outcome.retryAfterMs !== undefined && { ms: outcome.retryAfterMs }) };
    case 'refused':
      return { kind: 'over' };
    case 'unknown':
      return { kind: 'unknown' };
  }
}
