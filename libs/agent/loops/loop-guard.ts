import type { ToolCall } from '#contracts';
import { TerminalError } from '#kernel';
import { findTool } from '../tool-names.js';
import type { Tool } from '../tool-port.js';
import { LoopDetector, type CallNature, type LoopLimits } from './loop-detector.js';

/** Grants a turn that goes round in circles one more answer, then ends it (TU-4). */
export class LoopGuard {
  readonly #detector: LoopDetector;
  readonly #blocked = new Set<string>();

  constructor(
    limits: LoopLimits,
    private readonly tools: readonly Tool[],
  ) {
    this.#detector = new LoopDetector(limits);
  }

  /** @returns why none of these calls may run. Throws TerminalError('tool_loop') the second time there is a reason. */
  block(calls: readonly ToolCall[]): string | undefined {
    const [reason] = calls.flatMap((call) => this.#detector.block(call, this.#natureOf(call)) ?? []);
    if (reason === undefined) return undefined;
    if (this.#blocked.size > 0) throw new TerminalError('tool_loop', `The turn went round in circles: ${reason}`);
    for (const { id } of calls) this.#blocked.add(id);
    return reason;
  }

  /** @returns what the model should be told beside the result. */
  add(call: ToolCall, result: string): string | undefined {
    return this.#blocked.has(call.id) ? undefined : this.#detector.add(call, result, this.#natureOf(call));
  }

  #natureOf({ name }: ToolCall): CallNature {
    const tool = findTool(name, this.tools);
    if (!tool) return 'unknown';
    return tool.effect === 'pure' ? 'reads' : 'acts';
  }
}
