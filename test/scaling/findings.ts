import { DAY, HOG, HOUR, type SimulatedDay } from './traffic-day.js';
import type { Turn } from './simulated-fleet.js';

export interface Waits {
  turns: number;
  p50: number;
  p95: number;
  p99: number;
  most: number;
}

export interface HourOfDay {
  hour: number;
  turns: number;
  waits: Waits;
  /** The oldest that waited, s. */
  backlogAge: number;
  replicas: { least: number; mean: number; most: number };
}

interface Second {
  replicas: number;
  processes: number;
  /** When the first of those that wait and may run came. */
  oldest: number | undefined;
  hogWaits: boolean;
}

/** As old as this, a backlog counts as worked off: two looks at the metric are longer. */
const WORKED_OFF_S = 5;

/** What a simulated day was like, for those who wrote and for those who pay. All times are seconds. */
export class Findings {
  private readonly seconds: (Second & { age: number })[] = [];
  private readonly waits: { at: number; wait: number; isHog: boolean }[] = [];
  private back = 0;

  constructor(private readonly day: SimulatedDay) {}

  began(at: number, turn: Turn): void {
    if (turn.endsAt < Infinity) return;
    this.waits.push({ at: turn.arrivedAt, wait: at - turn.arrivedAt, isHog: turn.tenant === HOG });
  }

  handedBack(turns: number): void {
    this.back += turns;
  }

  second(at: number, second: Second): void {
    this.seconds.push({ ...second, age: second.oldest === undefined ? 0 : at - second.oldest });
  }

  /** For people and machines alike. */
  toJSON() {
    const { day } = this;
    const spikeEnds = day.spike.at + day.spike.forS;
    const hogEnds = this.seconds.findLastIndex(({ hogWaits }) => hogWaits);
    const hogFor = hogEnds - day.hog.at;
    return {
      turns: this.waits.length,
      waits: this.waitsBetween(0, DAY),
      spike: {
        waits: this.waitsBetween(day.spike.at, spikeEnds),
        workedOffAfterS: this.lastOlder(day.spike.at, day.spike.at + HOUR) - day.spike.at,
        replicas: this.most(day.spike.at, spikeEnds + HOUR / 4),
      },
      hog: {
        workedOffAfterS: hogFor,
        others: this.waitsBetween(day.hog.at, hogEnds),
        othersBefore: this.waitsBetween(day.hog.at - hogFor, day.hog.at),
        replicas: this.most(day.hog.at, hogEnds),
      },
      zero: {
        seconds: this.seconds.filter(({ processes }) => processes === 0).length,
        coldStarts: this.seconds.filter(({ replicas }, at) => replicas > 0 && this.seconds[at - 1]?.replicas === 0).length,
        waits: this.waitsBetween(HOUR, 6 * HOUR),
        runnerSecondsEach: this.runnerSeconds(HOUR, 6 * HOUR) / Math.max(1, this.countBetween(HOUR, 6 * HOUR)),
      },
      runnerHours: this.runnerSeconds(0, DAY) / HOUR,
      runnerHoursAtMost: (this.most(0, DAY) * DAY) / HOUR,
      handedBack: this.back,
      hours: Array.from({ length: 24 }, (_, hour) => this.hour(hour)),
    };
  }

  private hour(hour: number): HourOfDay {
    const [from, to] = [hour * HOUR, (hour + 1) * HOUR];
    const seconds = this.seconds.slice(from, to);
    const replicas = seconds.map((second) => second.replicas);
    return {
      hour,
      turns: this.countBetween(from, to),
      waits: this.waitsBetween(from, to),
      backlogAge: Math.max(...seconds.map(({ age }) => age)),
      replicas: { least: Math.min(...replicas), mean: this.runnerSeconds(from, to) / HOUR, most: Math.max(...replicas) },
    };
  }

  /** Of those who came then, without the hog. */
  private waitsBetween(from: number, to: number): Waits {
    const waits = this.waits.filter(({ at, isHog }) => !isHog && at >= from && at < to).map(({ wait }) => wait);
    waits.sort((a, b) => a - b);
    const share = (part: number): number => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))] ?? 0;
    return { turns: waits.length, p50: share(0.5), p95: share(0.95), p99: share(0.99), most: waits.at(-1) ?? 0 };
  }

  private countBetween(from: number, to: number): number {
    return this.waits.filter(({ at }) => at >= from && at < to).length;
  }

  private most(from: number, to: number): number {
    return this.seconds.slice(from, to).reduce((most, { replicas }) => Math.max(most, replicas), 0);
  }

  private runnerSeconds(from: number, to: number): number {
    return this.seconds.slice(from, to).reduce((sum, { processes }) => sum + processes, 0);
  }

  /** The last second in which somebody had waited for longer than WORKED_OFF_S. */
  private lastOlder(from: number, to: number): number {
    return from + this.seconds.slice(from, to).findLastIndex(({ age }) => age > WORKED_OFF_S);
  }
}
