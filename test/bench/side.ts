import type { RedisClient } from '#redis';
import { waitUntil } from '../harness/wait-until.js';
import { BenchChild, type ChildOptions } from './bench-child.js';
import type { Mark, Usage } from './questions.js';

/** What both sides are made of: one process that gives, two that work. */
const ENTRIES = {
  raw: {
    sender: new URL('./raw-add.process.js', import.meta.url),
    workers: [new URL('./raw-work.process.js', import.meta.url), new URL('./raw-work.process.js', import.meta.url)],
  },
  full: {
    sender: new URL('./accept.process.js', import.meta.url),
    workers: [new URL('./runner.process.js', import.meta.url), new URL('./dispatcher.process.js', import.meta.url)],
  },
};
export type SideName = keyof typeof ENTRIES;

const HANG_GUARD_MS = 300_000;

/** Three running processes of one side of the comparison. */
export class Side {
  private constructor(
    readonly name: SideName,
    readonly sender: BenchChild,
    readonly workers: readonly BenchChild[],
  ) {}

  static async start(name: SideName, options: ChildOptions): Promise<Side> {
    const { sender, workers } = ENTRIES[name];
    const [first, ...rest] = await Promise.all([sender, ...workers].map((entry) => BenchChild.start(entry, options)));
    if (!first) throw new Error(`Side ${name} has no sender`);
    return new Side(name, first, rest);
  }

  /** Only the process that accepts. */
  static async startSender(name: SideName, options: ChildOptions): Promise<Side> {
    return new Side(name, await BenchChild.start(ENTRIES[name].sender, options), []);
  }

  get all(): BenchChild[] {
    return [this.sender, ...this.workers];
  }

  /** Where messages come to their end: both raw workers, or the dispatcher. */
  get last(): readonly BenchChild[] {
    return this.name === 'raw' ? this.workers : this.workers.slice(-1);
  }

  /** Where messages are held back while a backlog is made: raw workers, or the model of the runner. */
  get first(): readonly BenchChild[] {
    return this.name === 'raw' ? this.workers : this.workers.slice(0, 1);
  }

  async gate(children: readonly BenchChild[], state: 'open' | 'closed'): Promise<void> {
    await Promise.all(children.map((child) => child.ask('gate', state)));
  }

  usage(): Promise<Usage[]> {
    return Promise.all(this.all.map((child) => child.ask('usage', null)));
  }

  async marks(): Promise<Mark[]> {
    return (await Promise.all(this.all.map((child) => child.ask('marks', null)))).flat();
  }

  /** Messages that came to their end since the processes started. */
  async handled(children = this.last): Promise<number> {
    const counts = await Promise.all(children.map((child) => child.ask('handled', null)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async untilHandled(count: number, children = this.last): Promise<void> {
    await waitUntil(
      `${count} messages handled`,
      () => this.handled(children),
      (handled) => handled >= count,
      HANG_GUARD_MS,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((child) => child.stop()));
  }
}

/** Measures on a side whose Redis is empty and whose processes are new. */
export async function onFreshSide<T>(
  redis: RedisClient,
  name: SideName,
  options: ChildOptions,
  measure: (side: Side) => Promise<T>,
): Promise<T> {
  await redis.flushall();
  const side = await Side.start(name, options);
  try {
    return await measure(side);
  } finally {
    await side.stop();
  }
}
