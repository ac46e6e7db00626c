import { expect, test } from 'vitest';
import type { TurnEvent } from '#contracts';
import { PendingAnswers } from './pending-answers.js';

const end = (messages: string[], rows: string[]): TurnEvent => ({
  type: 'turn.end',
  turn: 't',
  outcome: 'answered',
  messages,
  rows,
  text: '',
});
const message = (id: string): TurnEvent => ({
  type: 'message',
  id,
  turn: 't',
  text: id,
  deliveryMode: 'final',
  sequenceInTurn: 1,
  deliveredAt: 1,
});

test('IN-5 a message is answered when its turn has ended and all that it said has arrived, in either order', async () => {
  for (const events of [
    [message('r1'), end(['m1', 'm2'], ['r1'])],
    [end(['m1', 'm2'], ['r1']), message('r1')],
    [end(['m1', 'm2'], [])],
  ]) {
    const answers = new PendingAnswers();
    const early = answers.of('m1');
    for (const event of events) answers.see(event);
    await early;
    await answers.of('m2');
  }
});

test('IN-5 a turn whose messages are still on their way is not over', async () => {
  const answers = new PendingAnswers();
  let over = false;
  const wait = answers.of('m1').then(() => (over = true));
  answers.see(end(['m1'], ['r1', 'r2']));
  answers.see(message('r1'));
  await Promise.resolve();
  expect(over).toBe(false);
  answers.see(message('r2'));
  await wait;
});
