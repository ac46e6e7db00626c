import { expect, test } from 'vitest';
import { TerminalError } from '#kernel';
import { ChannelRegistry } from './channel-registry.js';
import { telegramAccount } from './telegram/telegram-account.js';
import { webchatAccount } from './webchat/webchat-account.js';
import { webhookAccount } from './webhook/webhook-account.js';

const telegram = (account: string) => telegramAccount({ account, botToken: '1:a', secretToken: 'secret' });
const webchat = webchatAccount({ account: 'acct1', append: async () => undefined });
const webhook = webhookAccount({ account: 'acct1', secret: 'secret' });

test('T4 two bots of one channel, and one account name at two channels, are different places', () => {
  const [first, second] = [telegram('acct1'), telegram('acct2')];
  const registry = new ChannelRegistry([first, second, webchat, webhook]);
  expect(registry.outbound({ channel: 'telegram', account: 'acct2' })).toBe(second.outbound);
  expect(registry.outbound({ channel: 'telegram', account: 'acct1' })).toBe(first.outbound);
  expect(registry.find('webchat', 'acct1')).toBe(webchat);
  expect(registry.inbound()).toEqual([first, second, webhook]);
});

test('T4 an account that is not configured is named in a terminal error, never replaced by another', () => {
  const registry = new ChannelRegistry([telegram('acct1')]);
  expect(registry.find('telegram', 'acct9')).toBeUndefined();
  const send = () => registry.outbound({ channel: 'telegram', account: 'acct9' });
  expect(send).toThrow(TerminalError);
  expect(send).toThrow(/"acct9" of channel "telegram"/);
  expect(send).toThrow(expect.objectContaining({ code: 'unknown_channel_account' }));
});

test('T4 one account configured twice is an error at start', () => {
  expect(() => new ChannelRegistry([telegram('acct1'), telegram('acct1')])).toThrow(/configured twice/);
});
