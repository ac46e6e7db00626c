import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidInputError, type AgentId, type TenantId } from '#kernel';
import { apiSessionKey, conversationKey, parseSessionKey, sessionKey, type SessionAddress } from './index.js';

const tenant = 'default' as TenantId;
const agent = 'main' as AgentId;

/** Short alphabets make near misses likely; whole Unicode finds the rest. */
const platformId = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '.', '~', '6', '1', ':', '/') }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ minLength: 60, maxLength: 400 }),
);
const name = fc.string({ unit: fc.constantFrom('a', 'B', '-', '_', '0'), minLength: 1, maxLength: 32 });
const address: fc.Arbitrary<SessionAddress> = fc
  .record({
    tenant: name,
    agent: name,
    channel: fc.constantFrom('telegram', 'webchat'),
    account: name,
    chatType: fc.constantFrom('direct' as const, 'group' as const, 'channel' as const),
    conversation: platformId,
    thread: fc.option(platformId, { nil: undefined }),
  })
  .map((parts) => ({ ...parts, tenant: parts.tenant as TenantId, agent: parts.agent as AgentId }));

const partsOf = (a: SessionAddress) => [a.tenant, a.agent, a.channel, a.account, a.chatType, a.conversation, a.thread ?? null];

test('RT-2 a session key is bounded and safe as queue name, Redis key and URL segment', () => {
  fc.assert(
    fc.property(address, (a) => {
      const key = sessionKey(a);
      expect(key).toMatch(/^[A-Za-z0-9_.~-]{1,200}$/);
      expect(encodeURIComponent(key)).toBe(key);
    }),
  );
});

test('RT-2 different addresses never share a key, equal ones always do', () => {
  fc.assert(
    fc.property(address, address, (a, b) => {
      const same = JSON.stringify(partsOf(a)) === JSON.stringify(partsOf(b));
      expect(sessionKey(a) === sessionKey(b)).toBe(same);
      expect(sessionKey({ ...a })).toBe(sessionKey(a));
    }),
    { numRuns: 500 },
  );
});

test('RT-2 moving a character over a boundary makes another key', () => {
  fc.assert(
    fc.property(platformId, platformId, (conversation, thread) => {
      const base = { tenant, agent, channel: 'telegram', account: 'default', chatType: 'group' as const };
      const keys = [
        { conversation, thread },
        { conversation: `${conversation}.${thread}` },
        { conversation: conversation + thread, thread: '' },
      ];
      expect(new Set(keys.map((rest) => sessionKey({ ...base, ...rest }))).size).toBe(thread === '' ? 2 : 3);
    }),
    {
      examples: [
        ['', ''],
        ['a', ''],
      ],
    },
  );
});

test('RT-2 a key reads back as its address; only hashed platform ids are lost', () => {
  fc.assert(
    fc.property(address, (a) => {
      const parsed = parseSessionKey(sessionKey(a));
      expect(parsed).toBeDefined();
      expect([parsed?.tenant, parsed?.agent, parsed?.channel, parsed?.account, parsed?.kind]).toEqual(partsOf(a).slice(0, 5));
      if (parsed?.conversation !== null) expect(parsed?.conversation).toBe(a.conversation);
      if (parsed?.thread != null) expect(parsed.thread).toBe(a.thread);
    }),
  );
  const short = {
    tenant,
    agent,
    channel: 'telegram',
    account: 'default',
    chatType: 'group' as const,
    conversation: '-100:5',
    thread: '7',
  };
  expect(sessionKey(short)).toBe('default.main.telegram.default.group.-100~3a5.7');
  const { chatType: kind, ...rest } = short;
  expect(parseSessionKey(sessionKey(short))).toEqual({ ...rest, kind });
});

test.each([
  '',
  'a.b.c',
  'main',
  'default.main',
  'default.main.group.5',
  'default.main.telegram.group.5',
  'default.main.telegram.~.direct.~7e.1.2',
  '~~00000000000000000000000000000000.main.main',
  'default.main.webchat.default.direct.~61',
  'default.main.webchat.default.direct.a/b',
  'default.main.webchat.default.secret.a',
  'default.main.webchat.default.direct.a.b.c',
  `default.main.webchat.default.direct.${'a'.repeat(200)}`,
  'default.main.webchat.default.direct.~ff',
])('RT-2 %j is no session key', (text) => {
  expect(parseSessionKey(text)).toBeUndefined();
});

test('TN-1 a session name cannot reach into another tenant', () => {
  for (const evil of ['../other', 'x.other.main', 'other:main', '~2e', 'default.main.webchat.default.direct.bob']) {
    expect(parseSessionKey(apiSessionKey(tenant, agent, evil))).toMatchObject({
      tenant: 'default',
      agent: 'main',
      conversation: evil,
    });
  }
  expect(apiSessionKey('b' as TenantId, agent, 'bob')).not.toBe(apiSessionKey(tenant, agent, 'bob'));
});

test('RT-2 broken Unicode, empty names and endless names are refused', () => {
  expect(() => apiSessionKey(tenant, agent, 'a\ud800')).toThrow(InvalidInputError);
  expect(() => apiSessionKey(tenant, agent, '')).toThrow(InvalidInputError);
  expect(() => apiSessionKey('t'.repeat(300) as TenantId, agent, 'bob')).toThrow('too long together');
});

test('RT-2 deliveries keep their order by tenant, account, conversation and thread, not by reply', () => {
  const target = { channel: 'telegram', account: 'default', conversation: '5' };
  const key = conversationKey(tenant, target);
  expect(key).toBe('default.telegram.default.5');
  expect(conversationKey(tenant, { ...target, replyTo: '1' })).toBe(key);
  const others = [
    { ...target, thread: '1' },
    { ...target, thread: '' },
    { ...target, account: 'b' },
    { ...target, conversation: '5.1' },
  ];
  expect(
    new Set([key, conversationKey('b' as TenantId, target), ...others.map((other) => conversationKey(tenant, other))]).size,
  ).toBe(6);
});
