import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageId, outboxRowId, turnIdOf } from './index.js';

const scope = { channel: 'telegram', account: 'bot1', conversation: '42', kind: 'message', platformId: '7' };

test('T7 IN-4 equal platform ids of two chats, two bots, two channels or two kinds are different messages', () => {
  const others = [
    { conversation: '43' },
    { account: 'bot2' },
    { channel: 'slack' },
    { kind: 'reaction' },
    { platformId: '8' },
    { edit: 1 },
  ];
  const ids = [{}, ...others].map((change) => messageId({ ...scope, ...change }));
  expect(new Set(ids).size).toBe(ids.length);
});

test('IN-4 the same event has the same id in every process, and an original is edit 0', () => {
  expect(messageId({ ...scope })).toBe(messageId({ ...scope, edit: 0 }));
});

test('IN-4 moving a character from one part to the next makes another id', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 8 }), (account, conversation) => {
      const [first = '', ...rest] = account;
      const moved = { account: first, conversation: rest.join('') + conversation };
      fc.pre(moved.account !== account);
      expect(messageId({ ...scope, ...moved })).not.toBe(messageId({ ...scope, account, conversation }));
    }),
  );
});

test('QU-1 a message id is a legal job id of BullMQ: no integer, no colon', () => {
  fc.assert(
    fc.property(fc.string(), (platformId) => {
      expect(messageId({ ...scope, platformId })).toMatch(/^m[\w-]{23}$/);
    }),
  );
});

test('TU-1 turns and rows are named after the message they began with', () => {
  const turn = turnIdOf(messageId(scope), 2);
  expect(turn).toBe(`${messageId(scope)}~2`);
  expect(outboxRowId(turn, 3)).toBe(`${messageId(scope)}~2-3`);
});
