import { expect, test } from 'vitest';
import type { OutboxRow, Target } from '#contracts';
import { channelContract, rowOf, sendTo } from '../../../test/contract-kit.js';
import { webchatAccount, type AppendMessage } from './webchat-account.js';

const target: Target = { channel: 'webchat', account: 'default', conversation: 'user-1' };

/** A stream that keeps the first message of an id, as the session's event stream does. */
function stream() {
  const messages = new Map<string, OutboxRow>();
  const append: AppendMessage = async (row) => void (messages.has(row.id) || messages.set(row.id, row));
  return { messages, account: webchatAccount({ account: 'default', append }) };
}

channelContract('webchat', { webhook: false, http: false }, async () => ({
  account: stream().account,
  target,
  close: async () => undefined,
}));

test('OUT-1 a message is appended under its row id, as the Markdown it is, once', async () => {
  const { messages, account } = stream();
  for (const _ of [1, 2])
    expect(await sendTo(account, target, { text: '**hi**' })).toEqual({ kind: 'sent', platformId: 'm0000~0-1' });
  expect([...messages.values()]).toEqual([rowOf(target, '**hi**')]);
});

test('OUT-2 a text beyond the limit comes in parts, the first under the row id', () => {
  const { outbound } = webchatAccount({ account: 'default', append: async () => undefined, maxTextLength: 10 });
  const chunks = outbound.render(rowOf(target, 'eight ch and more'));
  expect(chunks).toEqual([
    { text: 'eight ch', payload: { id: 'm0000~0-1' } },
    { text: 'and more', payload: { id: 'm0000~0-1/1' } },
  ]);
});

test('OUT-1 a lease lost before the write appends nothing', async () => {
  const { messages, account } = stream();
  expect((await sendTo(account, target, { signal: AbortSignal.abort() })).kind).toBe('retry');
  expect(messages.size).toBe(0);
});

test('OUT-1 an append that fails or hangs is tried again: the second one changes nothing', async () => {
  const failing = webchatAccount({ account: 'default', append: () => Promise.reject(new Error('Redis is gone')) });
  expect(await sendTo(failing, target)).toEqual({ kind: 'retry', reason: 'Error: Redis is gone' });
  const hanging = webchatAccount({ account: 'default', append: () => new Promise(() => undefined) });
  expect((await sendTo(hanging, target, { timeoutMs: 20 })).kind).toBe('retry');
});
