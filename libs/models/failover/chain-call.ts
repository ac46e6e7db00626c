import { backoffMs, delay, TransientError } from '#kernel';
import { nameOf, type Candidate } from './candidate.js';
import type { ChainParts } from './chain-parts.js';
import { codeOf, mostHopeful, REACTIONS, type Reaction } from './failover-policy.js';

/** What asking one model again may cost the user, counted from the first question. */
const MOST_LOST_MS = 2000;

interface Asked {
  candidate: Candidate;
  at: number;
  /** It was not known to be well. */
  isDoubtful: boolean;
  isAgain: boolean;
}

/** One question on its way through the candidates: whom to ask next, and what came of it. */
export class ChainCall {
  readonly #beganAt: number;
  /** Not asked yet, in order. */
  readonly #fresh: Candidate[];
  /** Those that rest: asked when nobody else is left, because an outage of all of them is no reason not to try. */
  readonly #resting: Candidate[] = [];
  /** By model, of those that failed: how many of its keys may still be asked. */
  readonly #keysLeft = new Map<string, number>();
  readonly #failures: unknown[] = [];
  #asked: Asked | undefined;
  #waitMs: number | undefined;

  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly parts: ChainParts,
  ) {
    this.#fresh = [...candidates];
    this.#beganAt = parts.clock.monotonic();
  }

  /** undefined when nobody is left. Waits before it names the same one again. */
  async next(signal: AbortSignal): Promise<Candidate | undefined> {
    if (this.#asked && this.#waitMs !== undefined) {
      await (this.parts.wait ?? delay)(this.#waitMs, signal);
      return this.#ask({ ...this.#asked, isAgain: true });
    }
    for (let candidate = this.#fresh.shift(); candidate; candidate = this.#fresh.shift()) {
      const state = this.candidates.length > 1 ? this.parts.health.state(candidate) : 'well';
      if (!this.#mayHelp(candidate)) continue;
      if (state === 'well' || (state === 'due' && (await this.parts.health.mayProbe(candidate))))
        return this.#ask({ candidate, isDoubtful: state !== 'well', isAgain: false });
      this.#resting.push(candidate);
    }
    for (let candidate = this.#resting.shift(); candidate; candidate = this.#resting.shift())
      if (this.#mayHelp(candidate)) return this.#ask({ candidate, isDoubtful: true, isAgain: false });
    return undefined;
  }

  /** Of all that failed. */
  get verdict(): unknown {
    return mostHopeful(this.#failures);
  }

  answered(): void {
    const { candidate, at, isDoubtful } = this.#current;
    this.parts.used(candidate, 'answered');
    if (isDoubtful) this.parts.health.recovered(candidate);
    const [first = candidate] = this.candidates;
    const failures = this.#failures.length;
    if (candidate === first && failures === 0) return;
    const lostMs = at - this.#beganAt;
    this.parts.report({ kind: 'answered', model: nameOf(candidate), asked: nameOf(first), failures, lostMs });
  }

  /** Throws what no other candidate would do better, and the verdict when the turn has failed often enough. */
  failed(error: unknown): void {
    const { candidate } = this.#current;
    const code = codeOf(error);
    const reaction = REACTIONS[code];
    if (reaction === 'end') throw error;
    const { failuresLeft, report } = this.parts;
    if (code !== 'no_room') failuresLeft.count -= 1;
    this.#failures.push(error);
    this.#waitMs = this.#waitBeforeAgain(reaction, error);
    if (this.#waitMs === undefined) this.#giveUp(candidate, reaction, error);
    const isLast = failuresLeft.count <= 0 || (this.#waitMs === undefined && !this.#isAnyLeft());
    const decision = isLast ? 'end' : this.#waitMs === undefined ? 'next' : 'again';
    if (this.candidates.length > 1) report({ kind: 'failed', model: nameOf(candidate), code, decision, error });
    if (failuresLeft.count <= 0) throw this.verdict;
  }

  get #current(): Asked {
    if (!this.#asked) throw new Error('Nobody was asked yet');
    return this.#asked;
  }

  #ask(asked: Omit<Asked, 'at'>): Candidate {
    this.#waitMs = undefined;
    this.#asked = { ...asked, at: this.parts.clock.monotonic() };
    this.parts.used(asked.candidate, 'asked');
    return asked.candidate;
  }

  #giveUp(candidate: Candidate, { rest, keys }: Reaction, error: unknown): void {
    const name = nameOf(candidate);
    const left = this.#keysLeft.get(name) ?? Number.POSITIVE_INFINITY;
    this.#keysLeft.set(name, Math.min(left - 1, keys));
    if (rest) this.parts.health.rest(candidate, rest, retryAfterOf(error));
  }

  /** The second question is expected to take as long as the first. */
  #waitBeforeAgain({ again }: Reaction, error: unknown): number | undefined {
    const { candidate, at, isDoubtful, isAgain } = this.#current;
    if (!again || isAgain || isDoubtful || !this.#isAnyLeft(nameOf(candidate))) return undefined;
    const now = this.parts.clock.monotonic();
    const waitMs = Math.max(backoffMs(1, this.parts.random), retryAfterOf(error) ?? 0);
    return now - this.#beganAt + waitMs + (now - at) <= MOST_LOST_MS ? waitMs : undefined;
  }

  #isAnyLeft(except?: string): boolean {
    return [...this.#fresh, ...this.#resting].some((one) => nameOf(one) !== except && this.#mayHelp(one));
  }

  #mayHelp(candidate: Candidate): boolean {
    return (this.#keysLeft.get(nameOf(candidate)) ?? 1) > 0;
  }
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof TransientError ? error.retryAfterMs : undefined;
}
