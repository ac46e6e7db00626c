import { raceSignal } from '#kernel';

/** How many suspects of one level may run at once in one process: level 0 is nobody's suspect. */
const COMPANY = [Infinity, 12, 3, 1] as const;

/**
 * A process dies with all its turns, so a death does not say who did it. The more deaths a message was in, the smaller the
 * company it runs in, until its journal grows; alone, a death is its own doing (protocol 2.8).
 */
export class CrashCompany {
  private readonly gates = COMPANY.map((free) => ({ free, queue: [] as (() => void)[] }));

  /** @param crashes deaths so far of the message; @param allowed deaths that make it a dead letter */
  static level(crashes: number, allowed: number): number {
    const last = COMPANY.length - 1;
    return Math.max(0, Math.min(last, crashes - (allowed - 1 - last)));
  }

  static isAlone(level: number): boolean {
    return level === COMPANY.length - 1;
  }

  mustWait(level: number): boolean {
    return (this.gates[level]?.free ?? 1) <= 0;
  }

  /** First come, first served. @returns the way to leave. */
  async enter(level: number, signal: AbortSignal): Promise<() => void> {
    const gate = this.gates[level];
    if (!gate) throw new Error(`There is no suspicion level ${level}`);
    if (gate.free > 0) gate.free--;
    else await this.waitTurn(gate.queue, signal);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = gate.queue.shift();
      if (next) next();
      else gate.free++;
    };
  }

  private async waitTurn(queue: (() => void)[], signal: AbortSignal): Promise<void> {
    let enter: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (enter = resolve));
    queue.push(enter);
    try {
      await raceSignal(turn, signal);
    } catch (error) {
      const place = queue.indexOf(enter);
      if (place >= 0) queue.splice(place, 1);
      throw error;
    }
  }
}
