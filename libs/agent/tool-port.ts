import type { Spent, TraceContext } from '#contracts';
import type { ToolSpec } from './model-port.js';
import type { MessageAbilities, TurnSends } from './turn-port.js';

/**
 * What a repeated execution means, after a crash left the outcome unknown (protocol 3):
 * pure = no effect, run again; idempotent = run again under the same call id; once = not run again, the model is told.
 */
export type ToolEffect = 'pure' | 'idempotent' | 'once';

/** Values of the session. Keys are the caller's to keep apart. */
export interface ToolState {
  /** undefined when nothing is set. */
  get(key: string): Promise<unknown>;
  /** Journalled: later steps of the turn see it, later turns once this one is answered. `undefined` removes. Throws LeaseLostError; Error for what is no JSON or too large. */
  set(key: string, value: unknown): Promise<void>;
}

export interface ToolContext {
  tenant: string;
  session: string;
  turn: string;
  /** Stable over crashes: the idempotency key of this call. */
  callId: string;
  sends: TurnSends;
  /** Set when a person has answered the question this call parked its turn with; the call runs anew. See ToolResult.asks. */
  answered?: { resume: string; text: string };
  state: ToolState;
  /** Where this call stands in a trace, to be passed on to whoever it asks; undefined: nobody traces. */
  trace?: TraceContext | undefined;
  /** Takes what the call has cost at a model into the account of the turn. */
  pay(spent: Spent | undefined): void;
}

export interface ToolResult {
  /** What the model reads. */
  text: string;
  isError: boolean;
  /** `text` is a question to a person instead: the turn is parked, and the answer becomes the result (TU-7). */
  asks?: {
    /** Answers to choose from; another answer is as good. */
    choices: readonly string[];
    /** With it the answer is no result: the tool runs again, is given this back with the answer, and may ask again. */
    resume?: string;
  };
}

export interface Tool extends ToolSpec {
  effect: ToolEffect;
  /** ms; default 120,000. */
  timeoutMs?: number;
  /** After its signal at the time limit it may still end with a result of its own for this long, ms; default 1000. Then it is abandoned. */
  graceMs?: number;
  /** Runs beside the other calls of an answer when all of them may (TU-2); default: when it is pure. */
  parallelSafe?: boolean;
  /** Its result changes by itself, so it is never reused for an equal call (TU-9): a clock, a poll. */
  volatile?: boolean;
  /** Turns and sessions of one tenant share its results for this long, ms (TU-9). For a pure tool whose result depends on its arguments alone. */
  cacheTtlMs?: number;
  /** The tool as the model of a conversation sees it, where that depends on its channel. Equal abilities give one object. */
  inConversation?(abilities: MessageAbilities): Tool;
  /** Stops within 1 s of `signal`. A throw becomes an error observation for the model (TU-5), except LeaseLostError. */
  execute(args: Record<string, unknown>, context: ToolContext, signal: AbortSignal): Promise<ToolResult>;
}
