import type { SessionState } from '#sessions';

/** A session as callers of the API read it; ages are ms. */
export function sessionView({ now, accepted, waiting, running, queue, settings, usage, cost, epoch, beganAt }: SessionState) {
  const [oldest] = queue;
  return {
    accepted,
    waiting,
    oldestWaitingMs: oldest ? now - oldest.acceptedAt : null,
    running: running?.turn ?? null,
    runningMs: running ? now - running.since : null,
    settings,
    usage,
    cost,
    epoch,
    beganAt: beganAt ?? null,
  };
}
export type SessionView = ReturnType<typeof sessionView>;
