import { expect, test } from 'vitest';
import { TEXT_ONLY, type ChannelAccount, type WebhookRequest } from '#channels';
import type { InboundEvent } from '#contracts';
import { guardedAccount } from './guarded-account.js';

const request: WebhookRequest = { method: 'POST', query: {}, headers: {}, body: Buffer.alloc(0) };
const event: InboundEvent = {
  channel: 'telegram',
  account: 'of-another-tenant',
  kind: 'message',
  eventId: 'e1',
  edit: 0,
  conversation: 'c',
  chatType: 'direct',
  thread: null,
  messageId: null,
  sender: { id: 'ann', name: null, isBot: false },
  text: 'hi',
  media: [],
  replyTo: null,
  mentionsBot: true,
  at: null,
  startsTurn: true,
};

function accountThatParses(events: readonly object[]): ChannelAccount {
  return guardedAccount('parcel', {
    channel: 'parcel',
    account: 'main',
    description: { name: 'parcel', title: 'Parcel', capabilities: TEXT_ONLY, dedupeId: 'id', retryWindowMs: 0, notes: [] },
    inbound: { verify: () => ({ ok: true }), parse: () => events as InboundEvent[] },
    outbound: { capabilities: TEXT_ONLY, render: () => [], send: async () => ({ kind: 'refused', reason: 'none' }) },
  });
}

test('TN-1 TO-2 an event of a plugin is one of its own account, whatever it says', () => {
  const { inbound } = accountThatParses([event]);
  expect(inbound?.parse(request)).toEqual([{ ...event, channel: 'parcel', account: 'main' }]);
});

test('TO-2 IN-2 an event of another shape is refused before anything is made of it', () => {
  const { inbound } = accountThatParses([event, { ...event, sender: 'ann' }]);
  expect(() => inbound?.parse(request)).toThrow(/sender/);
});
