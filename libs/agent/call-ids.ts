import type { ToolCall } from '#contracts';

/** The forms the send keys `text:<step>`, `reasoning:<step>` and `<call id>:batch` take: a model must not be able to name another's send. */
const RESERVED = /^(?:text|reasoning):|:batch$/;

/**
 * Gives every call an id of its own within the turn. Ids that the model left out, repeated or took from our own
 * forms become `<step>.<index>`. Called before the answer is journalled, so that a resumed turn sees the same ids.
 */
export function uniqueCallIds(calls: readonly ToolCall[], step: number, taken: Iterable<string>): ToolCall[] {
  const used = new Set(taken);
  return calls.map((call, index) => {
    let id = call.id;
    if (id === '' || RESERVED.test(id) || used.has(id)) id = `${step}.${index}`;
    while (used.has(id)) id += '+';
    used.add(id);
    return { ...call, id };
  });
}
