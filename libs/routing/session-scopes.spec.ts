import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentId, TenantId } from '#kernel';
import { parseSessionKey, Router, type Place } from './index.js';
import { chatSessionKey, type SessionScopes } from './session-key.js';

const tenant = 'acme' as TenantId;
const agent = 'main' as AgentId;
const nobody: ReadonlyMap<string, string> = new Map();
const persons = new Map([
  ['telegram:123', 'alice'],
  ['generic:u7', 'alice'],
]);
const direct: Place = { channel: 'telegram', account: 'shop', chatType: 'direct', conversation: '123', person: '123' };
const crm: Place = { channel: 'generic', account: 'crm', chatType: 'direct', conversation: 'conv-1', person: 'u7' };
const group: Place = { channel: 'telegram', account: 'shop', chatType: 'group', conversation: '-100' };
const topic: Place = { ...group, thread: '7' };
const keyOf = (
  place: Place,
  dmScope: SessionScopes['dmScope'],
  links = nobody,
  groupScope: SessionScopes['groupScope'] = 'per-group',
) => chatSessionKey({ tenant, agent }, place, { dmScope, groupScope }, links);

test.each<[SessionScopes['dmScope'], string, string, string]>([
  ['main', 'acme.main.main', 'acme.main.main', 'acme.main.main'],
  ['per-peer', 'acme.main.direct.123', 'acme.main.direct.u7', 'acme.main.person.alice'],
  ['per-channel-peer', 'acme.main.telegram.direct.123', 'acme.main.generic.direct.u7', 'acme.main.telegram.person.alice'],
  [
    'per-account-channel-peer',
    'acme.main.telegram.shop.direct.123',
    'acme.main.generic.crm.direct.conv-1',
    'acme.main.telegram.shop.person.alice',
  ],
])('RT-2 direct chats with dmScope %s', (scope, telegram, generic, linked) => {
  expect([keyOf(direct, scope), keyOf(crm, scope), keyOf(direct, scope, persons)]).toEqual([telegram, generic, linked]);
});

test('RT-2 a linked person is one session over channels with per-peer, and a stranger of that name is another', () => {
  expect(keyOf(direct, 'per-peer', persons)).toBe(keyOf(crm, 'per-peer', persons));
  const namesake: Place = { ...crm, person: 'alice', conversation: 'alice' };
  expect(keyOf(namesake, 'per-peer', persons)).not.toBe(keyOf(crm, 'per-peer', persons));
});

test('RT-2 a group has its own session, or shares main; a topic has its own always', () => {
  expect(keyOf(group, 'main')).toBe('acme.main.telegram.shop.group.-100');
  expect(keyOf(group, 'main', persons, 'main')).toBe('acme.main.main');
  for (const scope of ['per-group', 'main'] as const)
    expect(keyOf(topic, 'main', persons, scope)).toBe('acme.main.telegram.shop.group.-100.7');
  expect(keyOf({ ...direct, thread: '7' }, 'main')).toBe('acme.main.telegram.shop.direct.123.7');
});

test("RT-2 a binding's own scopes win over the tenant's", () => {
  const binding = { agent: 'main', source: 'bindings.0', match: { channel: 'telegram' }, session: { dmScope: 'main' as const } };
  const rest = { agent: 'main', source: 'the only agent' };
  const session = { dmScope: 'per-peer', groupScope: 'per-group', identityLinks: { alice: ['generic:u7'] } } as const;
  const router = new Router({ tenant, bindings: [binding], fallback: rest, session });
  expect([direct, crm, group].map((place) => router.route(place).session)).toEqual([
    'acme.main.main',
    'acme.main.person.alice',
    'acme.main.telegram.shop.group.-100',
  ]);
  expect(router.routeNamed('bob').session).toBe('acme.main.webchat.default.direct.bob');
});

/** B079: what came from outside and was once joined into a path. */
const EVIL = [
  '../../etc/passwd',
  '..%2f..%2fx',
  'a/../../b',
  'C:\\x',
  'x\u0000.json',
  '/etc/agents/evil/sessions/f',
  'a'.repeat(5000),
];
const id = fc.oneof(
  fc.constantFrom(...EVIL, 'main', 'direct', 'person', '', '*', '123', 'u7', 'alice'),
  fc.string({ unit: fc.constantFrom('a', '.', '~', ':', '1') }),
  fc.string({ unit: 'grapheme' }),
);
const name = fc.constantFrom('main', 'direct', 'person', 'a', 'telegram');
const scopes = fc.record({
  dmScope: fc.constantFrom<SessionScopes['dmScope']>('main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'),
  groupScope: fc.constantFrom<SessionScopes['groupScope']>('per-group', 'main'),
});
const place: fc.Arbitrary<Place> = fc
  .record({
    channel: fc.constantFrom('telegram', 'generic'),
    account: name,
    chatType: fc.constantFrom('direct' as const, 'group' as const, 'channel' as const),
    conversation: id,
    person: fc.option(id, { nil: undefined }),
    thread: fc.option(id, { nil: undefined }),
  })
  .map((one) => (one.chatType === 'direct' ? one : { ...one, person: undefined }));
const owner = fc
  .record({ tenant: name, agent: name })
  .map((one) => ({ tenant: one.tenant as TenantId, agent: one.agent as AgentId }));

/** What RT-2 tells apart, as a plain list: the key's meaning without its spelling. */
function meaning({ tenant: t, agent: a }: { tenant: string; agent: string }, where: Place, by: SessionScopes): unknown[] {
  const { channel, account, chatType, conversation, person, thread } = where;
  const known = [person, conversation].map((one) => persons.get(`${channel}:${one}`)).find((one) => one !== undefined);
  const isDirect = chatType === 'direct';
  const scope = isDirect ? by.dmScope : by.groupScope;
  if (thread === undefined && scope === 'main') return [t, a, 'main'];
  const peer = isDirect && known !== undefined ? { known } : undefined;
  if (thread === undefined && scope === 'per-peer') return [t, a, 'direct', peer ?? person ?? conversation];
  if (thread === undefined && scope === 'per-channel-peer') return [t, a, channel, 'direct', peer ?? person ?? conversation];
  return [t, a, channel, account, chatType, peer ?? conversation, thread ?? null];
}

test('RT-2 B079 TN-1 keys are equal exactly when what the scope tells apart is equal, over tenants, agents and scopes', () => {
  fc.assert(
    fc.property(owner, place, scopes, owner, place, scopes, (o1, p1, s1, o2, p2, s2) => {
      const same = JSON.stringify(meaning(o1, p1, s1)) === JSON.stringify(meaning(o2, p2, s2));
      expect(chatSessionKey(o1, p1, s1, persons) === chatSessionKey(o2, p2, s2, persons)).toBe(same);
    }),
    { numRuns: 3000 },
  );
});

test('RT-2 B079 every key is bounded, safe in a path, a queue name and a URL, and reads back as what it was made of', () => {
  fc.assert(
    fc.property(owner, place, scopes, (who, where, by) => {
      const key = chatSessionKey(who, where, by, persons);
      expect(key).toMatch(/^[A-Za-z0-9_.~-]{1,200}$/);
      expect(key.split('.')).not.toContain('');
      const parsed = parseSessionKey(key);
      expect(parsed).toMatchObject(who);
      const { channel, account, thread } = where;
      if (parsed?.channel !== undefined) expect(parsed.channel).toBe(channel);
      if (parsed?.account !== undefined) expect(parsed.account).toBe(account);
      if (parsed?.thread != null) expect(parsed.thread).toBe(thread);
      if (parsed?.conversation != null) expect([where.person, where.conversation, 'alice']).toContain(parsed.conversation);
      expect(parsed?.kind === 'main' || parsed?.kind === 'person' || parsed?.kind === where.chatType).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test.each(EVIL)('B079 %j is a name like any other', (evil) => {
  const key = keyOf({ ...direct, person: evil, conversation: evil }, 'per-account-channel-peer');
  expect(key).toMatch(/^acme\.main\.telegram\.shop\.direct\.[A-Za-z0-9_~-]{1,170}$/);
  expect(key).not.toBe(keyOf(direct, 'per-account-channel-peer'));
});
