import { expect, onTestFinished, test, vi } from 'vitest';
import type { Target } from '#contracts';
import { startTelegramServer } from '../../test/fakes/telegram-server.js';
import { waitUntil } from '../../test/harness/wait-until.js';
import { ChannelRegistry } from './channel-registry.js';
import { telegramAccount } from './telegram/telegram-account.js';
import { Typing } from './typing.js';
import { webchatAccount } from './webchat/webchat-account.js';

const target: Target = { channel: 'telegram', account: 'bot', conversation: '42', thread: '7' };

async function started() {
  const server = await startTelegramServer();
  onTestFinished(() => server.close());
  const options = { account: 'bot', botToken: '1:token', secretToken: 'a-secret-of-the-test', apiRoot: server.url };
  const webchat = webchatAccount({ account: 'default', append: async () => undefined });
  const typing = new Typing(new ChannelRegistry([telegramAccount(options), webchat]));
  const shown = (count: number) =>
    waitUntil(
      `${count} chat actions`,
      () => server.actions.length,
      (seen) => seen >= count,
    );
  return { server, typing, shown };
}

test('QU-6 the sign reaches the chat and the topic the answer will go to', async () => {
  const { server, typing, shown } = await started();
  typing.once(target);
  await shown(1);
  expect(server.actions).toMatchObject([{ chatId: '42', threadId: 7, action: 'typing' }]);
});

test('QU-6 it is repeated before the platform takes it away, until it is let go', async () => {
  const { server, typing, shown } = await started();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const kept = typing.keep(target, true);
  vi.advanceTimersByTime(999);
  expect(server.actions).toEqual([]);
  vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(4_000);
  kept[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  await shown(2);
});

test('QU-6 channels without such a sign, accounts that are gone and platforms that fail are no trouble', async () => {
  const { server, typing } = await started();
  typing.once({ channel: 'webchat', account: 'default', conversation: 'x' });
  typing.once({ ...target, account: 'gone' });
  typing.keep({ ...target, account: 'gone' }, true)[Symbol.dispose]();
  await server.close();
  typing.once(target);
});
