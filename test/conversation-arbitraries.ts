import fc from 'fast-check';
import type { ChatMessage } from '#contracts';

const text = fc.oneof(
  fc.constantFrom('', ' ', 'hello', '你好\n', '  padded  ', '\u2028'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const callId = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, maxLength: 70 }),
  fc.constantFrom('1.0', 'call_1', 'a b', '1.0+', '调用'),
);
const toolName = fc.oneof(fc.constantFrom('weather', 'no such tool', '', 'a/b.c'), fc.string({ maxLength: 90 }));
const callArguments = fc.oneof(fc.json(), fc.constantFrom('', '{', '[1]', '"x"', 'null', '{"city":"x"}'));

const answer = fc
  .record({
    said: text,
    interrupted: fc.boolean(),
    calls: fc.uniqueArray(fc.record({ id: callId, name: toolName, arguments: callArguments }), {
      maxLength: 3,
      selector: ({ id }) => id,
    }),
    results: fc.array(fc.record({ text, isError: fc.boolean() }), { minLength: 3, maxLength: 3 }),
  })
  .map(({ said, interrupted, calls, results }): ChatMessage[] => [
    { role: 'assistant', text: said, toolCalls: calls, ...(interrupted && { interrupted: true as const }) },
    ...calls.map(({ id, name }, index): ChatMessage => ({
      role: 'tool',
      callId: id,
      name,
      text: '',
      isError: false,
      ...results[index],
    })),
  ]);

/** As another provider left it, with its signatures. */
const foreign = answer.map(([said, ...results]): ChatMessage[] =>
  said?.role === 'assistant'
    ? [
        {
          ...said,
          toolCalls: said.toolCalls.map((call) => ({ ...call, signature: { provider: 'elsewhere', text: 'not c2ln' } })),
          reasoning: [{ provider: 'elsewhere', model: 'm', text: 'hmm', signature: 'not c2ln' }],
        },
        ...results,
      ]
    : [],
);
const loneResult = fc
  .record({ callId, name: toolName, text, isError: fc.boolean() })
  .map((result): ChatMessage => ({ role: 'tool', ...result }));

/** As turns leave them: several messages of the user in a row, answers with and without calls, calls of names there are none of. */
const wellKept: fc.Arbitrary<ChatMessage[]> = fc
  .array(
    fc.tuple(
      fc.array(
        text.map((said): ChatMessage => ({ role: 'user', text: said })),
        { minLength: 1, maxLength: 2 },
      ),
      fc.array(fc.oneof(answer, foreign), { maxLength: 2 }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((turns) => [...turns.flatMap(([users, answers]) => [...users, ...answers.flat()]), { role: 'user', text: 'and now?' }]);

/** Some clients greet first. */
const greeted = wellKept.map(([, ...rest]) => rest);

/** And as accidents leave them: results without a call, twice or in another place, calls without a result, ids that come again. */
export const conversations = fc.oneof(
  wellKept,
  greeted,
  fc
    .record({
      messages: wellKept,
      lost: fc.array(fc.nat(20), { maxLength: 3 }),
      strays: fc.array(fc.record({ at: fc.nat(20), from: fc.nat(20), lone: loneResult, again: fc.boolean() }), { maxLength: 3 }),
    })
    .map(({ messages: [first, ...later], lost, strays }): ChatMessage[] => {
      const kept = later.filter(({ role }, index) => role === 'user' || !lost.includes(index));
      for (const { at, from, lone, again } of strays)
        kept.splice(at % (kept.length + 1), 0, (again ? kept[from % (kept.length + 1)] : undefined) ?? lone);
      return [...(first ? [first] : []), ...kept];
    }),
);
