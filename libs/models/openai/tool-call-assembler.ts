import type { ToolCall } from '#contracts';

/** One piece of a call, as servers really send it: any field may be missing. */
export interface ToolCallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null } | null;
}

/**
 * Puts tool calls together from their pieces (MO-2). A piece belongs to the call of its index; servers that send
 * whole calls under one index, or none, tell a new call by a new id with a name.
 */
export class ToolCallAssembler {
  readonly #calls: ToolCall[] = [];
  readonly #byIndex = new Map<number, ToolCall>();
  #latest: ToolCall | undefined;

  add(delta: ToolCallDelta): void {
    const { id, function: piece } = delta;
    const call = this.#callOf(delta) ?? this.#open(delta.index);
    this.#latest = call;
    call.id ||= id ?? '';
    call.name ||= piece?.name ?? '';
    call.arguments += piece?.arguments ?? '';
  }

  /** The calls in the order in which they began. */
  finish(): readonly ToolCall[] {
    return this.#calls;
  }

  #callOf({ index, id, function: piece }: ToolCallDelta): ToolCall | undefined {
    const call = typeof index === 'number' ? this.#byIndex.get(index) : this.#latest;
    const another = call && piece?.name && call.id !== '' && id && id !== call.id;
    const unmarked = call && typeof index !== 'number' && piece?.name && call.name !== '';
    return another || unmarked ? undefined : call;
  }

  #open(index: number | null | undefined): ToolCall {
    const call: ToolCall = { id: '', name: '', arguments: '' };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }
}
