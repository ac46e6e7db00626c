/** One turn that waits, or runs. */
export interface Turn {
  tenant: string;
  arrivedAt: number;
  /** Seconds of work left. */
  seconds: number;
  /** Of this attempt; Infinity before the first. */
  endsAt: number;
}

interface Runner {
  readyAt: number;
  /** It claims nothing more; what still runs then is handed back. */
  leavesAt: number;
  running: Set<Turn>;
}

export interface FleetSettings {
  slots: number;
  /** From the decision to the first claim. */
  startS: number;
  graceS: number;
  /** Turns one process can begin in a second, by its CPU. */
  mostStartsPerS: number;
}

/** Runners as they come, work and leave; times are seconds. */
export class SimulatedFleet {
  private runners: Runner[] = [];
  private readonly ends = new Map<number, { runner: Runner; turn: Turn }[]>();

  constructor(private readonly settings: FleetSettings) {}

  /** Those that autoscaling counts. */
  get replicas(): number {
    return this.staying.length;
  }

  get running(): number {
    return this.runners.reduce((sum, { running }) => sum + running.size, 0);
  }

  /** All that take up memory, those that leave included. */
  get processes(): number {
    return this.runners.length;
  }

  scaleTo(at: number, replicas: number): void {
    const { startS, graceS } = this.settings;
    while (this.replicas < replicas) this.runners.push({ readyAt: at + startS, leavesAt: Infinity, running: new Set() });
    // pod-deletion-cost rises with the work: the idlest go first.
    const idlest = this.staying.toSorted((a, b) => a.running.size - b.running.size);
    for (const runner of idlest.slice(0, this.replicas - replicas)) runner.leavesAt = at + graceS;
  }

  /** Ends what is done. @returns tenants whose turns ended, and turns of runners whose grace is over */
  advance(at: number): { ended: string[]; handedBack: Turn[] } {
    const ended: string[] = [];
    for (const { runner, turn } of this.ends.get(at) ?? []) if (runner.running.delete(turn)) ended.push(turn.tenant);
    this.ends.delete(at);
    const over = this.runners.filter(({ leavesAt }) => leavesAt <= at);
    const handedBack = over.flatMap(({ running }) => [...running]);
    for (const turn of handedBack) turn.seconds = turn.endsAt - at;
    for (const runner of over) runner.running.clear();
    this.runners = this.runners.filter(({ leavesAt, running }) => leavesAt === Infinity || (leavesAt > at && running.size > 0));
    return { ended, handedBack };
  }

  /** Fills the free slots, runner after runner, with what `next` gives. */
  begin(at: number, next: () => Turn | undefined): void {
    const { slots, mostStartsPerS } = this.settings;
    let open = this.staying.filter(({ readyAt, running }) => readyAt <= at && running.size < slots);
    for (let round = 0; open.length > 0 && round < mostStartsPerS; round++) {
      for (const runner of open) {
        const turn = next();
        if (!turn) return;
        this.run(at, runner, turn);
      }
      open = open.filter(({ running }) => running.size < slots);
    }
  }

  private run(at: number, runner: Runner, turn: Turn): void {
    turn.endsAt = at + Math.max(1, Math.round(turn.seconds));
    runner.running.add(turn);
    const ends = this.ends.get(turn.endsAt) ?? [];
    ends.push({ runner, turn });
    this.ends.set(turn.endsAt, ends);
  }

  private get staying(): Runner[] {
    return this.runners.filter(({ leavesAt }) => leavesAt === Infinity);
  }
}
