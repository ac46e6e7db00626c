import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutHiddenReasoning } from './hidden-reasoning.js';
import type { ModelEvent } from './index.js';

async function read(pieces: readonly string[]) {
  const stream = async function* (): AsyncGenerator<ModelEvent> {
    for (const text of pieces) yield { type: 'text', text };
    yield { type: 'stop', reason: 'stop' };
  };
  let text = '';
  let reasoning = '';
  const shown: string[] = [];
  for await (const event of withoutHiddenReasoning(stream())) {
    if (event.type === 'text') shown.push((text += event.text));
    if (event.type === 'reasoning') reasoning += event.text;
  }
  return { text, reasoning, shown };
}

test.each([
  [['<think>计划…</think>答案'], '答案', '计划…'],
  [['<thi', 'nk>计划…</th', 'ink>答案'], '答案', '计划…'],
  [['<THINKING>a</thinking>b<thought>c</thought>d'], 'bd', 'ac'],
  [['<think>never closed'], '', 'never closed'],
  [['a < b, <thin air> and <'], 'a < b, <thin air> and <', ''],
  [['the tag `<think>` and `</think>` stay'], 'the tag `<think>` and `</think>` stay', ''],
  [['`', '<think>', '`'], '`<think>`', ''],
  [['<think>a</thinking>b</think>c'], 'c', 'a</thinking>b'],
])('TU-8 B037 %j shows %j', async (pieces, text, reasoning) => {
  expect(await read(pieces)).toMatchObject({ text, reasoning });
});

test('TU-8 B037 however a stream is cut, the same is shown, and no beginning of what is hidden', async () => {
  const parts = fc.constantFrom('<think>', '</think>', '<thought>', '</thought>', 'a', '答', '<', '`', ' ', 'th');
  const answer = fc.array(parts, { maxLength: 12 }).map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(answer, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 60, maxLength: 60 }), async (whole, sizes) => {
      const pieces: string[] = [];
      for (let at = 0, i = 0; at < whole.length; at += sizes[i] ?? 1, i += 1) pieces.push(whole.slice(at, at + (sizes[i] ?? 1)));
      const [cut, uncut] = [await read(pieces), await read([whole])];
      expect([cut.text, cut.reasoning]).toEqual([uncut.text, uncut.reasoning]);
      for (const shown of cut.shown) expect(uncut.text.startsWith(shown)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
