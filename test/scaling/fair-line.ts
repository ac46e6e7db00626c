import type { Turn } from './simulated-fleet.js';

interface Waiting {
  turns: Turn[];
  /** Of `turns`: those before it have begun. */
  head: number;
}

/** Who waits, tenant after tenant as admission lets them in: each tenant in its order, none above its limit (docs/limits.md). */
export class FairLine {
  private readonly waiting = new Map<string, Waiting>();
  private readonly running = new Map<string, number>();

  /** @param limitOf turns of a tenant that may run at once */
  constructor(private readonly limitOf: (tenant: string) => number) {}

  /** What more runners would run: the metric of autoscaling does not count what limits hold back. */
  get runnable(): number {
    return this.tenants().reduce((sum, [tenant, { turns, head }]) => sum + Math.min(turns.length - head, this.room(tenant)), 0);
  }

  /** Of all that wait and may run, when the first one came. */
  get oldest(): number | undefined {
    const heads = this.tenants().flatMap(([tenant, { turns, head }]) =>
      this.room(tenant) > 0 ? [turns[head]?.arrivedAt ?? 0] : [],
    );
    return heads.length > 0 ? Math.min(...heads) : undefined;
  }

  has(tenant: string): boolean {
    return this.waiting.has(tenant);
  }

  add(turn: Turn): void {
    const waiting = this.waiting.get(turn.tenant) ?? { turns: [], head: 0 };
    this.waiting.set(turn.tenant, waiting);
    waiting.turns.push(turn);
  }

  /** A turn that had begun goes before all others of its tenant. */
  giveBack(turn: Turn): void {
    this.ended(turn.tenant);
    const { turns, head } = this.waiting.get(turn.tenant) ?? { turns: [], head: 0 };
    this.waiting.set(turn.tenant, { turns: [turn, ...turns.slice(head)], head: 0 });
  }

  /** The next to begin; its tenant goes to the end. */
  next(): Turn | undefined {
    for (const [tenant, waiting] of this.waiting) {
      if (this.room(tenant) <= 0) continue;
      const turn = waiting.turns[waiting.head++];
      this.waiting.delete(tenant);
      if (waiting.head < waiting.turns.length) this.waiting.set(tenant, waiting);
      this.running.set(tenant, (this.running.get(tenant) ?? 0) + 1);
      return turn;
    }
    return undefined;
  }

  ended(tenant: string): void {
    this.running.set(tenant, (this.running.get(tenant) ?? 0) - 1);
  }

  private room(tenant: string): number {
    return this.limitOf(tenant) - (this.running.get(tenant) ?? 0);
  }

  private tenants(): [string, Waiting][] {
    return [...this.waiting];
  }
}
