import type { CancelReason } from '#contracts';

/** Why a running turn was told to stop; the reason of its abort signal. */

/** Somebody asked for it: what there is is committed, marked as interrupted. */
export class CancelRequested extends Error {
  override name = 'CancelRequested';

  constructor(readonly why: CancelReason) {
    super(`The turn was ${why}`);
  }
}

/** This process is leaving: the turn goes on elsewhere from its journal. */
export class Draining extends Error {
  override name = 'Draining';
}

/** The turn ran longer than its agent allows. */
export class TurnTimeout extends Error {
  override name = 'TurnTimeout';
}
