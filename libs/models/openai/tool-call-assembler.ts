import type { ModelEvent } from '#agent';
import type { ToolCall } from '#contracts';

/** This wire signs no thoughts. */
type Call = Omit<ToolCall, 'signature'>;

/** One piece of a call, as servers really send it: any field may be missing. */
export interface ToolCallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null } | null;
}

interface OpenCall extends ToolCall {
  index: number;
  /** Characters of its arguments that were told; undefined until its beginning was. */
  told?: number;
}

/**
 * Puts tool calls together from their pieces (MO-2). A piece belongs to the call of its index; servers that send
 * whole calls under one index, or none, tell a new call by a new id with a name.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  #latest: OpenCall | undefined;

  /** Yields what watchers learn of it: nothing before the call has a name. */
  *add(delta: ToolCallDelta): Generator<ModelEvent> {
    const { id, function: piece } = delta;
    const call = this.#callOf(delta) ?? this.#open(delta.index);
    this.#latest = call;
    call.id ||= id ?? '';
    call.name ||= piece?.name ?? '';
    call.arguments += piece?.arguments ?? '';
    if (call.name === '') return;
    const { index, name, told = 0 } = call;
    if (call.told === undefined) yield { type: 'tool_call_start', index, name };
    if (told < call.arguments.length) yield { type: 'tool_call_delta', index, arguments: call.arguments.slice(told) };
    call.told = call.arguments.length;
  }

  /** The calls in the order in which they began. */
  finish(): readonly Call[] {
    return this.#calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  }

  #callOf({ index, id, function: piece }: ToolCallDelta): OpenCall | undefined {
    const call = typeof index === 'number' ? this.#byIndex.get(index) : this.#latest;
    const another = call && piece?.name && call.id !== '' && id && id !== call.id;
    const unmarked = call && typeof index !== 'number' && piece?.name && call.name !== '';
    return another || unmarked ? undefined : call;
  }

  #open(index: number | null | undefined): OpenCall {
    const call: OpenCall = { index: this.#calls.length, id: '', name: '', arguments: '' };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }
}
