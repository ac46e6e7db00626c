import { InvalidInputError, raceSignal } from '#kernel';
import { HOOKS, type Approval, type GateHook, type HookAnswer, type HookName, type HookPayload } from './hook-contracts.js';
import type { ModifyHook, ObserveHook } from './hook-contracts.js';
import { HOOK_EDITS } from './hook-edits.js';

type Answer<N extends HookName> = HookAnswer<N> | undefined | void;
/** `signal` fires when the time is up or the turn is stopped; a late answer is dropped. */
export type HookHandler<N extends HookName> = (
  payload: Readonly<HookPayload<N>>,
  signal: AbortSignal,
) => Answer<N> | Promise<Answer<N>>;

export interface HookOptions {
  /** High first, equal ones as they were registered; default 0. */
  priority?: number;
  /** ms, 1 to 600,000; default: see HOOKS. */
  timeoutMs?: number;
}

export type Verdict<N extends HookName> =
  /** `approval`: passed, if a person allows it too. */
  | { kind: 'passed'; payload: HookPayload<N>; approval: Approval | undefined }
  /** `failed`: nobody refused, the check itself did not work. */
  | { kind: 'refused'; reason: string; failed: boolean };

interface Registered<N extends HookName> extends Required<HookOptions> {
  handler: HookHandler<N>;
}

const MAX_TIMEOUT_MS = 600_000;

/** What plugins asked to be told or asked, in order (TU-3). A hook without a handler costs a look-up. */
export class Hooks {
  readonly #handlers: { [N in HookName]?: Registered<N>[] } = {};
  /** Told of each handler that threw or ran out of time. */
  onFailure: (hook: HookName, error: unknown, payload: unknown) => void = () => undefined;

  /** Throws InvalidInputError for a hook there is none of, or a time limit out of range. @returns the way to take it out again */
  on<N extends HookName>(name: N, handler: HookHandler<N>, options: HookOptions = {}): () => void {
    if (!Object.hasOwn(HOOKS, name))
      throw new InvalidInputError(`There is no hook "${name}"; there are: ${Object.keys(HOOKS).join(', ')}`);
    const { priority = 0, timeoutMs = HOOKS[name].timeoutMs } = options;
    if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
      throw new InvalidInputError(`timeoutMs of the hook ${name} must be from 1 to ${MAX_TIMEOUT_MS}, not ${timeoutMs}`);
    const registered = { handler, priority, timeoutMs };
    const ordered = [...this.#of(name), registered].toSorted((a, b) => b.priority - a.priority);
    Object.assign(this.#handlers, { [name]: ordered });
    return () => Object.assign(this.#handlers, { [name]: this.#of(name).filter((other) => other !== registered) });
  }

  has(name: HookName): boolean {
    return this.#of(name).length > 0;
  }

  /** Tells all handlers at once and waits for none. */
  observe<N extends ObserveHook>(name: N, payload: HookPayload<N>): void {
    for (const registered of this.#of(name)) {
      this.#ask(registered, payload).catch((error: unknown) => this.onFailure(name, error, payload));
    }
  }

  /** @returns the payload with every edit. Rejects with the signal's reason only. */
  async modify<N extends ModifyHook>(name: N, payload: HookPayload<N>, signal: AbortSignal): Promise<HookPayload<N>> {
    let current = payload;
    for (const registered of this.#of(name)) {
      try {
        const answer = await this.#ask(registered, current, signal);
        if (answer) current = HOOK_EDITS[name](current, answer);
      } catch (error) {
        signal.throwIfAborted();
        this.onFailure(name, error, current);
      }
    }
    return current;
  }

  /** The first refusal is final; a wish for approval keeps nobody from refusing. Rejects with the signal's reason only. */
  async gate<N extends GateHook>(name: N, payload: HookPayload<N>, signal: AbortSignal): Promise<Verdict<N>> {
    let current = payload;
    let approval: Approval | undefined;
    for (const registered of this.#of(name)) {
      try {
        const answer = await this.#ask(registered, current, signal);
        const said: GateAnswer = answer ?? {};
        if (said.block !== undefined) return { kind: 'refused', reason: said.block, failed: false };
        approval ??= said.approval;
        if (answer) current = HOOK_EDITS[name](current, answer);
      } catch (error) {
        signal.throwIfAborted();
        this.onFailure(name, error, current);
        return { kind: 'refused', reason: `the check ${name} did not work`, failed: true };
      }
    }
    return { kind: 'passed', payload: current, approval };
  }

  #of<N extends HookName>(name: N): readonly Registered<N>[] {
    return this.#handlers[name] ?? [];
  }

  async #ask<N extends HookName>(
    { handler, timeoutMs }: Registered<N>,
    payload: HookPayload<N>,
    turn?: AbortSignal,
  ): Promise<Answer<N>> {
    const limit = new AbortController();
    const late = new DOMException(`The hook did not answer within ${timeoutMs} ms`, 'TimeoutError');
    const timer = setTimeout(() => limit.abort(late), timeoutMs);
    const signal = turn ? AbortSignal.any([turn, limit.signal]) : limit.signal;
    try {
      return await raceSignal(
        Promise.resolve().then(() => handler(payload, signal)),
        signal,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What a gate may say besides its edits; only before_tool_call asks for approval. */
type GateAnswer = { block?: string; approval?: Approval };
