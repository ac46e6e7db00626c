import { expect } from 'vitest';
import type { ModelEvent, ModelRequest } from '#agent';
import { NotNowError, TerminalError, TransientError } from '#kernel';
import { nameOf, type Candidate } from './candidate.js';
import type { FailoverEvent } from './chain-parts.js';
import type { Rest } from './failover-policy.js';
import { ModelChain } from './model-chain.js';

export type Behaviour = Error | ModelEvent[];
export type State = 'well' | 'resting' | 'due';

export const TEXT: ModelEvent = { type: 'text', text: 'fine' };
export const STOP: ModelEvent = { type: 'stop', reason: 'stop' };
export const REQUEST: ModelRequest = { model: 'm1', system: 's', messages: [{ role: 'user', text: 'hi' }], tools: [] };
export const never = new AbortController().signal;
const TERMINAL = ['auth', 'auth_permanent', 'billing', 'model_not_found', 'format', 'context_overflow'];

export const failure = (code: string): Error => {
  if (code === 'no_room') return new NotNowError(900, 'm');
  if (code === 'unknown') return new TypeError('boom');
  return TERMINAL.includes(code) ? new TerminalError(code, code) : new TransientError(code, code);
};

/** Candidates named `provider/model#key`, and what each does at its n-th question. */
export class ChainWorld {
  readonly asked: string[] = [];
  readonly requests: ModelRequest[] = [];
  readonly rests: [string, Rest][] = [];
  readonly recovered: string[] = [];
  readonly probes: string[] = [];
  readonly told: FailoverEvent[] = [];
  readonly used: string[] = [];
  readonly waits: number[] = [];
  readonly failuresLeft = { count: 100 };
  mayProbe = true;
  now = 0;
  /** ms that each call takes. */
  callMs = 10;
  windows: Record<string, number> = {};
  readonly #times = new Map<string, number>();
  readonly #ids = new Map<Candidate, string>();

  constructor(
    private readonly behaviours: Record<string, Behaviour | Behaviour[]>,
    private readonly states: Record<string, State> = {},
  ) {}

  chain(...ids: [string, ...string[]]): ModelChain {
    const [first, ...more] = ids.map((id) => this.#candidate(id));
    return new ModelChain([first ?? expect.fail(), ...more], {
      health: {
        state: (candidate) => this.states[this.#id(candidate)] ?? 'well',
        mayProbe: async (candidate) => (this.probes.push(this.#id(candidate)), this.mayProbe),
        recovered: (candidate) => void this.recovered.push(this.#id(candidate)),
        rest: (candidate, rest) => void this.rests.push([this.#id(candidate), rest]),
      },
      clock: { now: () => this.now, monotonic: () => this.now },
      failuresLeft: this.failuresLeft,
      windowOf: (provider, model) => this.windows[`${provider}/${model}`] ?? 1_000_000,
      used: (candidate, how) => void this.used.push(`${how} ${this.#id(candidate)}`),
      report: (event) => void this.told.push(event),
      random: () => 0,
      wait: async (ms) => {
        this.waits.push(ms);
        this.now += ms;
      },
    });
  }

  async ask(...ids: [string, ...string[]]): Promise<string> {
    let text = '';
    for await (const event of this.chain(...ids).stream(REQUEST, never)) {
      if (event.type === 'restart') text = '';
      if (event.type === 'text') text += event.text;
    }
    return text;
  }

  #candidate(id: string): Candidate {
    const [name = ''] = id.split('#');
    const [provider = '', model = ''] = name.split('/');
    const stream = (request: ModelRequest) => this.#answer(id, request);
    const candidate = { provider: { id: provider, account: id, stream }, model };
    this.#ids.set(candidate, id);
    return candidate;
  }

  #id(candidate: Candidate): string {
    return this.#ids.get(candidate) ?? nameOf(candidate);
  }

  async *#answer(id: string, request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.asked.push(id);
    this.requests.push(request);
    this.now += this.callMs;
    const nth = this.#times.get(id) ?? 0;
    this.#times.set(id, nth + 1);
    const all = this.behaviours[id] ?? [TEXT, STOP];
    const isScript = Array.isArray(all) && all.some((one) => Array.isArray(one) || one instanceof Error);
    const now = isScript ? (all[nth] as Behaviour) : (all as Behaviour);
    if (now instanceof Error) throw now;
    for (const event of now) {
      if (event.type === 'text' && event.text === '(dies)') throw failure('network');
      yield event;
    }
  }
}
