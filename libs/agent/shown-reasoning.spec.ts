import { expect, test } from 'vitest';
import type { ModelEvent } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

const answer: ModelEvent[] = [
  { type: 'reasoning', text: 'first\n' },
  { type: 'text', text: '<think>second</think>42' },
  { type: 'stop', reason: 'stop' },
];

test('RT-4 TU-8 what the model thinks is sent ahead of its answer where it was asked for, marked and quoted, and nowhere else', async () => {
  const shown = new TurnWorld(() => answer);
  expect(await shown.run({ showReasoning: true })).toMatchObject({ text: '42' });
  expect(shown.sent).toMatchObject([{ key: 'reasoning:1', mode: 'narration', text: 'Reasoning:\n> first\n> second' }]);
  const hidden = new TurnWorld(() => answer);
  expect(await hidden.run()).toMatchObject({ text: '42' });
  expect(hidden.sent).toEqual([]);
});
