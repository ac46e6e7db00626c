import type { TurnDeps } from './turn-types.js';
import type { ToolState } from './tool-port.js';
import type { TurnProgress } from './turn-progress.js';

/** A session is no database: what is larger belongs into storage of its own. */
const MOST_CHARS = 16_384;
const MOST_KEYS = 100;

/**
 * The session's values as one turn sees them (TO-2): what it has set itself, from its journal, before what earlier turns
 * have left. What it sets is stored with its commit, if it comes to its answer.
 */
export class TurnState implements ToolState {
  constructor(
    private readonly deps: Pick<TurnDeps, 'step' | 'readState'>,
    private readonly progress: Pick<TurnProgress, 'state'>,
    private readonly signal: AbortSignal,
  ) {}

  async get(key: string): Promise<unknown> {
    this.signal.throwIfAborted();
    const text = this.progress.state.get(key) ?? (await this.deps.readState?.(key)) ?? '';
    return text === '' ? undefined : JSON.parse(text);
  }

  async set(key: string, value: unknown): Promise<void> {
    this.signal.throwIfAborted();
    const text = value === undefined ? '' : JSON.stringify(value);
    if (text === undefined) throw new Error(`The value of ${key} is no JSON`);
    if (text.length > MOST_CHARS) throw new Error(`The value of ${key} has ${text.length} characters, at most ${MOST_CHARS}`);
    const { state } = this.progress;
    if (!state.has(key) && state.size >= MOST_KEYS) throw new Error(`A turn sets at most ${MOST_KEYS} values`);
    await this.deps.step([{ k: 'state', key, value: text }]);
    state.set(key, text);
  }
}
