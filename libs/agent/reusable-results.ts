import { canonicalJson } from './canonical-json.js';
import type { Tool, ToolResult } from './tool-port.js';

/**
 * Results of pure tools, reused for an equal call of the same turn (TU-9). Any other call may have changed what they
 * read, so it empties the store. Fed in the order of the turn, journalled results first.
 */
export class ReusableResults {
  readonly #results = new Map<string, ToolResult>();
  /** A call of this turn may have changed what pure tools read. */
  isStale = false;

  /** What equal calls share; undefined for a tool whose results are not reused. */
  static key({ name, effect, volatile }: Tool, args: string): string | undefined {
    return effect === 'pure' && !volatile ? `${name} ${canonicalJson(args)}` : undefined;
  }

  get(key: string | undefined): ToolResult | undefined {
    return key === undefined ? undefined : this.#results.get(key);
  }

  /** Failures are not kept: the next call may succeed. */
  add(tool: Tool | undefined, args: string, result: ToolResult): void {
    if (tool?.effect !== 'pure') {
      this.isStale = true;
      return this.#results.clear();
    }
    const key = ReusableResults.key(tool, args);
    if (key !== undefined && !result.isError) this.#results.set(key, result);
  }
}
