import type { ModelProvider } from '#agent';
import type { TurnRecord } from '#contracts';
import { keysFor, type Candidate, type FoundModel } from '#models';
import type { ModelCalls } from './model-calls.service.js';

/**
 * Under which key of each provider a session asks (MO-3): under the same one as long as it is well, so that the provider's prompt
 * cache stays warm, and the first time under the one that no session of any runner has used for the longest. The records of its
 * turns remember it, which are read anyhow: none of this is a round trip.
 */
export class SessionKeys {
  private readonly own: Readonly<Record<string, string>>;
  /** By provider, of those with several keys. One order for all of the turn. */
  private readonly orders = new Map<string, readonly ModelProvider[]>();
  private readonly answered = new Map<string, Candidate>();

  /** @param history oldest first */
  constructor(
    history: readonly TurnRecord[],
    private readonly calls: Pick<ModelCalls, 'health' | 'models'>,
  ) {
    this.own = Object.assign({}, ...history.map(({ accounts = {} }) => accounts)) as Record<string, string>;
  }

  order({ keys, model }: FoundModel): readonly ModelProvider[] {
    const [{ id }] = keys;
    if (keys.length === 1) return keys;
    const known = this.orders.get(id);
    if (known) return known;
    const { health, models } = this.calls;
    const order = keysFor(keys, {
      own: this.own[id],
      isWell: (key) => health.state({ provider: key, model }) === 'well',
      lastUse: (account) => models.lastUse(account),
    });
    this.orders.set(id, order);
    // Taken now, so that another session that begins in this moment takes another one.
    if (this.own[id] === undefined) this.use(order[0]);
    return order;
  }

  /** See ChainParts.used. */
  used(candidate: Candidate, how: 'asked' | 'answered'): void {
    if (!this.orders.has(candidate.provider.id)) return;
    if (how === 'asked') this.use(candidate.provider);
    else this.answered.set(candidate.provider.id, candidate);
  }

  /** What the record of the turn is to remember: a key that only had no room is gone back to, one that rests is left for good. */
  get kept(): Record<string, string> {
    return Object.fromEntries(
      [...this.answered.entries()].map(([id, { provider, model }]) => {
        const own = this.orders.get(id)?.find(({ account }) => account !== undefined && account === this.own[id]);
        const isWell = own && this.calls.health.state({ provider: own, model }) === 'well';
        return [id, (isWell ? own.account : provider.account) ?? ''];
      }),
    );
  }

  private use(key: ModelProvider | undefined): void {
    if (key?.account !== undefined) this.calls.models.use(key.account);
  }
}
