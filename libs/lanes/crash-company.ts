import { raceSignal } from '#kernel';

/** How many suspects may run at once in one process with a suspect of each level, itself included: level 0 is nobody's suspect. */
const COMPANY = [Infinity, 12, 3, 1] as const;

interface Guest {
  level: number;
  enter: () => void;
}

/**
 * A process dies with all its turns, so a death does not say who did it. The more deaths a message was in, the smaller the
 * company it runs in, until its journal grows; alone, a death is its own doing (protocol 2.8).
 */
export class CrashCompany {
  private readonly inside = new Set<Guest>();
  private readonly queue: Guest[] = [];

  /** @param crashes deaths so far of the message; @param allowed deaths that make it a dead letter */
  static level(crashes: number, allowed: number): number {
    const last = COMPANY.length - 1;
    return Math.max(0, Math.min(last, crashes - (allowed - 1 - last)));
  }

  static isAlone(level: number): boolean {
    return level === COMPANY.length - 1;
  }

  mustWait(level: number): boolean {
    return this.queue.length > 0 || !this.hasRoom(level);
  }

  /** First come, first served. @returns the way to leave. */
  async enter(level: number, signal: AbortSignal): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const guest: Guest = { level, enter: resolve };
    const leave = (): void => {
      this.inside.delete(guest);
      this.letIn();
    };
    this.queue.push(guest);
    this.letIn();
    try {
      await raceSignal(promise, signal);
      return leave;
    } catch (error) {
      const place = this.queue.indexOf(guest);
      if (place >= 0) this.queue.splice(place, 1);
      leave();
      throw error;
    }
  }

  private letIn(): void {
    for (let next = this.queue[0]; next && this.hasRoom(next.level); next = this.queue[0]) {
      this.queue.shift();
      this.inside.add(next);
      next.enter();
    }
  }

  /** Everybody inside limits the company, not only those of the same level: else the one that runs alone dies of another's doing. */
  private hasRoom(level: number): boolean {
    const levels = [level, ...[...this.inside].map((guest) => guest.level)];
    return levels.every((each) => levels.length <= (COMPANY[each] ?? 1));
  }
}
