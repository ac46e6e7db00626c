import type { ToolCall } from '#contracts';
import { canonicalJson } from '../canonical-json.js';

/** Counts at which a turn is warned or stopped (TU-4); OpenClaw's values are the defaults of the configuration. */
export interface LoopLimits {
  enabled: boolean;
  /** Calls without progress after which the model is told. */
  warnAt: number;
  /** Calls without progress after which the next one does not run. */
  blockAt: number;
  /** Calls in a row of tools that do not exist, after which the next one is not answered. */
  unknownToolAt: number;
  /** Calls in a row that brought nothing new, whatever they were. */
  breakerAt: number;
}

type Call = Pick<ToolCall, 'name' | 'arguments'>;

interface Seen {
  tool: string;
  call: string;
  result: string;
  nature: CallNature;
}

/** What kind of tool a call is of. Only what a reading one brings can be news: sending a text again gets a new id each time, and is still the same. */
export type CallNature = 'reads' | 'acts' | 'unknown';

/** Parts of a result that change on every call and mean nothing: UUIDs, long hex, times of day, durations. */
const NOISE =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?=[a-f]*\d)[0-9a-f]{12,}\b|\d{1,2}:\d\d:\d\d(?:\.\d+)?|\b\d+(?:\.\d+)?\s?m?s\b/gi;
/** Of a long result, this much of both its ends is compared. */
const COMPARED_CHARS = 2000;
/** A loop shows in the last calls; older ones may come back after real work. */
const WINDOW = 30;

/**
 * Sees a turn go round in circles. It is fed the calls and results of the turn in order, journalled ones first, so a
 * crash changes nothing of what it knows.
 */
export class LoopDetector {
  readonly #calls: Seen[] = [];
  readonly #known = new Set<string>();
  #nothingNew = 0;

  constructor(private readonly limits: LoopLimits) {}

  /** @returns what the model should be told beside the result. */
  add({ name: tool, arguments: args }: Call, result: string, nature: CallNature): string | undefined {
    if (!this.limits.enabled) return undefined;
    const seen: Seen = { tool, call: `${tool} ${canonicalJson(args)}`, result: nature === 'reads' ? newsOf(result) : '', nature };
    this.#calls.push(seen);
    if (this.#calls.length > WINDOW) this.#calls.shift();
    const outcome = `${seen.call} ${seen.result}`;
    this.#nothingNew = this.#known.has(outcome) ? this.#nothingNew + 1 : 0;
    this.#known.add(outcome);
    return this.#warning(seen);
  }

  /** Why this call would be one too many. */
  block({ name: tool, arguments: args }: Call, nature: CallNature): string | undefined {
    const { enabled, blockAt, unknownToolAt, breakerAt } = this.limits;
    if (!enabled) return undefined;
    const call = `${tool} ${canonicalJson(args)}`;
    if (this.#repeats(call) >= blockAt)
      return `${tool} was called ${blockAt} times with the same arguments and brought nothing new`;
    if (this.#pingPong(call) >= blockAt)
      return `the last ${blockAt} calls went back and forth between two calls that bring nothing new`;
    if (nature === 'unknown' && this.#unknownInARow() >= unknownToolAt)
      return `the last ${unknownToolAt} calls were of tools that do not exist`;
    if (this.#nothingNew >= breakerAt) return `the last ${breakerAt} calls brought nothing new`;
    return undefined;
  }

  #warning(last: Seen): string | undefined {
    const { warnAt } = this.limits;
    const { tool, call } = last;
    if (this.#repeats(call) === warnAt)
      return `${tool} was called ${warnAt} times with the same arguments and brought nothing new`;
    if (this.#pingPong(undefined) === warnAt) return `the last ${warnAt} calls went back and forth between two calls`;
    if (this.#churn(last) === warnAt) return `${tool} gave the same result for ${warnAt} different arguments`;
    return undefined;
  }

  /** How often a call had the result it had last. A call whose result changes gets on: a poll of a long job, for example. */
  #repeats(call: string): number {
    const same = this.#calls.filter((seen) => seen.call === call);
    return same.length - 1 - same.findLastIndex(({ result }) => result !== same.at(-1)?.result);
  }

  /** Length of the alternation A B A B at the end, with the results each had before; `next` would have to go on with it. */
  #pingPong(next: string | undefined): number {
    const last = this.#calls.toReversed();
    const [a, b] = last;
    if (!a || !b || a.call === b.call || (next !== undefined && next !== b.call)) return 0;
    const breaks = last.findIndex((seen, index) => {
      const partner = index % 2 === 0 ? a : b;
      return seen.call !== partner.call || seen.result !== partner.result;
    });
    return breaks === -1 ? last.length : breaks;
  }

  #churn({ tool, result, nature }: Seen): number {
    if (nature !== 'reads') return 0;
    const last = this.#calls.toReversed();
    const breaks = last.findIndex((seen) => seen.tool !== tool || seen.result !== result);
    const streak = breaks === -1 ? last : last.slice(0, breaks);
    return new Set(streak.map(({ call }) => call)).size === streak.length ? streak.length : 0;
  }

  #unknownInARow(): number {
    return this.#calls.length - 1 - this.#calls.findLastIndex(({ nature }) => nature !== 'unknown');
  }
}

function newsOf(result: string): string {
  const long = result.length > 2 * COMPARED_CHARS;
  const compared = long ? result.slice(0, COMPARED_CHARS) + result.slice(-COMPARED_CHARS) : result;
  return compared.replaceAll(NOISE, '#');
}
