import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, Kind, Member } from '../harness/fleet.js';
import type { TortureRedis } from './torture-redis.js';
import type { Random } from './random.js';

export interface ChaosCounts {
  kills: Record<Kind, number>;
  stops: number;
  scriptFlushes: number;
  failovers: number;
}

type Blow = { act: 'kill'; kind: Kind } | { act: 'stop'; kind: Kind };

/** Ten kills of every kind and four stops in one round; the long form repeats it. */
const ROUND: readonly Blow[] = [
  ...Array.from({ length: 6 }, (): Blow => ({ act: 'kill', kind: 'runner' })),
  ...Array.from({ length: 2 }, (): Blow => ({ act: 'kill', kind: 'dispatcher' })),
  ...Array.from({ length: 2 }, (): Blow => ({ act: 'kill', kind: 'ingress' })),
  ...Array.from({ length: 3 }, (): Blow => ({ act: 'stop', kind: 'runner' })),
  { act: 'stop', kind: 'dispatcher' },
];
const FLUSH_MS = 3_000;

/** Kills, stops and flushes until it is told to end; whoever died is replaced. */
export class Chaos {
  readonly counts: ChaosCounts = { kills: { ingress: 0, runner: 0, dispatcher: 0 }, stops: 0, scriptFlushes: 0, failovers: 0 };
  /** From the death of a Redis until another has taken over and has a replica, ms since 1970. */
  readonly failovers: { from: number; to: number }[] = [];
  private ended = false;
  private failing: Promise<void> | undefined;
  private readonly left: Blow[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly redis: TortureRedis,
    private readonly random: Random,
    private readonly sizes: Record<Kind, number>,
    private readonly lockMs: number,
  ) {}

  /** Whether one whole round has been dealt out. */
  get roundDone(): boolean {
    const { kills, stops } = this.counts;
    return kills.runner + kills.dispatcher + kills.ingress + stops >= ROUND.length;
  }

  end(): void {
    this.ended = true;
  }

  async run(everyMs: number): Promise<void> {
    const nurse = setInterval(() => this.replaceDead(), 50);
    const flusher = setInterval(() => void this.flush(), FLUSH_MS);
    while (!this.ended) {
      await sleep(this.random.between(everyMs * 0.6, everyMs * 1.4));
      if (!this.ended) this.strike();
    }
    clearInterval(flusher);
    await this.failing;
    while (this.fleet.stops.some(({ to }) => to === Infinity) || this.missing() > 0) await sleep(50);
    await Promise.all([...this.fleet.members].map(({ ready }) => ready));
    clearInterval(nurse);
  }

  private strike(): void {
    if (this.left.length === ROUND.length / 2) this.failOver();
    if (this.left.length === 0) this.left.push(...this.shuffled());
    const blow = this.left.pop();
    const victims = blow ? this.fleet.of(blow.kind).filter((member) => this.isRunning(member)) : [];
    if (!blow || victims.length === 0) return;
    const victim = this.random.pick(victims);
    if (blow.act === 'kill') {
      this.counts.kills[blow.kind]++;
      this.fleet.kill(victim);
    } else {
      this.counts.stops++;
      this.fleet.stop(victim, this.random.between(this.lockMs * 1.4, this.lockMs * 2.3));
    }
  }

  /** In the middle of the first round, where there is another server. */
  private failOver(): void {
    if (!this.redis.failOver || this.counts.failovers > 0) return;
    this.counts.failovers++;
    const from = Date.now();
    this.failing = this.redis.failOver().then(() => void this.failovers.push({ from, to: Date.now() }));
  }

  private isRunning({ name }: Member): boolean {
    return !this.fleet.stops.some((stop) => stop.name === name && stop.to === Infinity);
  }

  private shuffled(): Blow[] {
    return ROUND.map((blow) => ({ blow, at: this.random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ blow }) => blow);
  }

  private missing(): number {
    const kinds = Object.keys(this.sizes) as Kind[];
    return kinds.reduce((sum, kind) => sum + Math.max(0, this.sizes[kind] - this.fleet.of(kind).length), 0);
  }

  private replaceDead(): void {
    for (const kind of Object.keys(this.sizes) as Kind[]) {
      for (let missing = this.sizes[kind] - this.fleet.of(kind).length; missing > 0; missing--) this.fleet.spawn(kind);
    }
  }

  private async flush(): Promise<void> {
    this.counts.scriptFlushes++;
    await this.redis.flushScripts();
  }
}
