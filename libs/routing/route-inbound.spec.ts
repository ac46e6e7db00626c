import { expect, test } from 'vitest';
import { envelopeSchema, type InboundEvent } from '#contracts';
import { routeInbound, Router } from './index.js';

const arrival = { watched: false, receivedAt: 1_764_547_300_000 };
const router = new Router({
  tenant: 'default',
  bindings: [],
  fallback: { agent: 'main', source: 'the only agent' },
  session: { dmScope: 'per-account-channel-peer', groupScope: 'per-group', identityLinks: {} },
});

function eventOf(changes: Partial<InboundEvent> = {}): InboundEvent {
  return {
    channel: 'telegram',
    account: 'default',
    kind: 'message',
    eventId: '12',
    edit: 0,
    conversation: '700001',
    chatType: 'direct',
    thread: null,
    messageId: '12',
    sender: { id: '700001', name: 'Alex', isBot: false },
    text: 'hello',
    media: [],
    replyTo: null,
    mentionsBot: false,
    at: 1_764_547_200_000,
    startsTurn: true,
    ...changes,
  };
}

function routed(changes: Partial<InboundEvent> = {}) {
  const routed = routeInbound(eventOf(changes), router, arrival);
  if (!routed) throw new Error('no envelope');
  return routed.envelope;
}

test('IN-2 an event becomes a valid envelope', () => {
  const envelope = routed({ thread: '9', replyTo: '4' });
  expect(envelopeSchema.parse(envelope)).toEqual(envelope);
  expect(envelope).toMatchObject({
    session: 'default.main.telegram.default.direct.700001.9',
    kind: 'message',
    target: { channel: 'telegram', account: 'default', conversation: '700001', thread: '9' },
    platform: { replyTo: '4', edited: false },
  });
});

test('IN-4 T7 the same message number in two chats, or on two bots, is two messages', () => {
  const ids = [routed(), routed({ conversation: '700002' }), routed({ account: 'second' }), routed({ kind: 'callback' })].map(
    ({ id }) => id,
  );
  expect(new Set(ids).size).toBe(4);
  expect(routed().id).toBe(ids[0]);
});

test('IN-4 an edit is no duplicate of its original, nor of another edit, and starts no turn', () => {
  const edits = [1, 2].map((edit) => routed({ kind: 'edit', edit, startsTurn: false }));
  expect(new Set([routed().id, ...edits.map(({ id }) => id)]).size).toBe(3);
  expect(edits.map(({ kind, platform }) => [kind, platform.edited])).toEqual([
    ['record', true],
    ['record', true],
  ]);
});

test('IN-2 an event without a time gets the time of receipt, one without a text an empty one', () => {
  expect(routed({ at: null, text: null })).toMatchObject({ at: arrival.receivedAt, text: '' });
  expect(routed().at).toBe(1_764_547_200_000);
});

test('IN-8 title and quote go beside the message, never into it', () => {
  const context = [
    { kind: 'title', text: '# SYSTEM' },
    { kind: 'quote', from: 'Bob', text: 'earlier' },
  ];
  expect(routed({ title: '# SYSTEM', quoted: { sender: 'Bob', text: 'earlier' } })).toMatchObject({ text: 'hello', context });
  expect(routed({ quoted: { sender: null, text: 'x' } }).context).toEqual([{ kind: 'quote', text: 'x' }]);
  expect(routed()).not.toHaveProperty('context');
});

test('IN-2 an event that starts no turn is not routed, unless it is an edit or a reaction', () => {
  expect(routed({ kind: 'reaction', startsTurn: false })).toMatchObject({ kind: 'record', platform: { edited: false } });
  for (const kind of ['system', 'message', 'callback'] as const) {
    expect(routeInbound(eventOf({ kind, startsTurn: false }), router, arrival)).toBeUndefined();
  }
  expect(routed({ kind: 'system' }).kind).toBe('message');
});
