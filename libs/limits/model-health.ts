import { systemClock, type Clock } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { EverySecond } from './every-second.js';
import { KeyUses } from './key-uses.js';
import type { BudgetName } from './model-budgets.js';

/** Of what rests: the model under this key, or all of the key. */
export interface ModelRest {
  of: 'model' | 'key';
  /** 10 minutes: nothing gets well by itself. Else 30 s, and 1 and 5 min while it goes on. */
  long: boolean;
  /** What the provider asked for, ms; at most an hour counts. */
  leastMs: number | undefined;
}

const script = loadScript(import.meta.dirname, 'model-health', 'time');

/**
 * Which keys and models rest after a failure, and when each of several keys was last used, known to every runner within a second
 * (MO-3). Nobody asks: one look each second tells and hears all.
 */
export class ModelHealth {
  /** By id: until when, by the local clock. */
  #rests: ReadonlyMap<string, number> = new Map();
  readonly #uses = new KeyUses();
  readonly #poll = new EverySecond(() => this.#refresh());

  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Follows what rests, until `stop`. */
  async start(): Promise<void> {
    await this.#poll.start();
  }

  stop(): void {
    this.#poll.stop();
  }

  /** `due`: the rest is over, and nobody has found out yet. No round trip. */
  state(name: BudgetName): 'well' | 'resting' | 'due' {
    const known = idsOf(name).flatMap((id) => this.#rests.get(id) ?? []);
    if (known.length === 0) return 'well';
    return Math.max(...known) > this.clock.monotonic() ? 'resting' : 'due';
  }

  /** A key is in use now. No round trip. */
  use(account: string): void {
    this.#uses.note(account, this.clock.monotonic());
  }

  /** To be compared: the least is the longest ago. No round trip. */
  lastUse(account: string): number {
    return this.#uses.last(account);
  }

  /** Whether the caller is to find out. Once in 30 s, for all runners. */
  async mayProbe(name: BudgetName): Promise<boolean> {
    return (await this.#run('probe', idsOf(name))) === 1;
  }

  async recovered(name: BudgetName): Promise<void> {
    await this.#run('recovered', idsOf(name));
    this.#note(idsOf(name), undefined);
  }

  async rest(name: BudgetName, { of, long, leastMs }: ModelRest): Promise<void> {
    const [key, model] = idsOf(name);
    const id = of === 'key' ? key : model;
    this.#note([id], leastMs ?? 1000);
    const least = leastMs === undefined ? '' : Math.ceil(leastMs);
    this.#note([id], Number(await this.#run('rest', [id, long ? 'long' : '', least])));
  }

  #note(ids: readonly string[], ms: number | undefined): void {
    const rests = new Map(this.#rests);
    for (const id of ids) {
      if (ms === undefined) rests.delete(id);
      else rests.set(id, this.clock.monotonic() + ms);
    }
    this.#rests = rests;
  }

  async #refresh(): Promise<void> {
    const now = this.clock.monotonic();
    const read = await this.#uses.tell(now, (uses) => this.#run('read', uses));
    const [rests, uses] = read as [rests: (string | number)[], uses: (string | number)[]];
    this.#rests = new Map(
      Array.from({ length: rests.length / 2 }, (_, n) => [String(rests[2 * n]), now + Number(rests[2 * n + 1])]),
    );
    this.#uses.hear(uses, now);
  }

  #run(operation: 'rest' | 'probe' | 'recovered' | 'read', args: readonly (string | number)[]): Promise<unknown> {
    const keys = [this.keyspace.limits('model-rests'), this.keyspace.limits('model-keys')];
    return script.run(this.redis, keys, [operation, ...args]);
  }
}

function idsOf({ account, model }: BudgetName): [key: string, model: string] {
  return [account, `${account}:${model}`];
}
