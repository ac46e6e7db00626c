import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidInputError } from '#kernel';
import type { Binding } from './binding.js';
import { explainRoute, Router, type Place } from './index.js';

const session = { dmScope: 'per-account-channel-peer', groupScope: 'per-group', identityLinks: {} } as const;
const binding = (agent: string, match: Binding['match']): Binding => ({ agent, match, source: agent });
const rulesOf = (bindings: readonly Binding[]) => ({
  tenant: 't',
  bindings,
  fallback: { agent: 'rest', source: 'defaultAgent' },
  session,
});

/** The rule as RT-1 says it, read aloud: nine questions in order, each over all bindings in order. */
function slowModel(bindings: readonly Binding[], place: Place): { agent: string; matchedBy: string } {
  const isDirect = place.chatType === 'direct';
  const here = [place.conversation, ...(isDirect && place.person !== undefined ? [place.person] : [])];
  let around: string[] = [];
  if (place.parent !== undefined && place.parent !== place.conversation) around = [place.parent];
  else if (place.thread !== undefined) around = here;
  else if (place.parent !== undefined) around = [place.parent];
  const others = ({ match: { channel, account, guild, team, roles } }: Binding) =>
    channel === place.channel &&
    (account === undefined || account === '*' || account === place.account) &&
    (guild === undefined || guild === place.guild) &&
    (team === undefined || team === place.team) &&
    (roles === undefined || roles.some((role) => (place.roles ?? []).includes(role)));
  const of = (kind: string | undefined) => kind === place.chatType;
  const questions: [string, (match: Binding['match']) => boolean][] = [
    [
      'binding.peer',
      ({ peer }) => of(peer?.kind) && here.includes(peer?.id ?? '') && peer?.id !== '*' && peer?.thread === place.thread,
    ],
    [
      'binding.peer.parent',
      ({ peer }) => of(peer?.kind) && around.includes(peer?.id ?? '') && peer?.id !== '*' && peer?.thread === undefined,
    ],
    ['binding.peer.wildcard', ({ peer }) => of(peer?.kind) && peer?.id === '*'],
    ['binding.guild+roles', ({ peer, guild, roles }) => !peer && guild !== undefined && roles !== undefined],
    ['binding.guild', ({ peer, guild, roles }) => !peer && guild !== undefined && roles === undefined],
    ['binding.team', ({ peer, guild, team }) => !peer && guild === undefined && team !== undefined],
    [
      'binding.account',
      ({ peer, guild, team, account }) =>
        !peer && guild === undefined && team === undefined && account !== undefined && account !== '*',
    ],
    [
      'binding.channel',
      ({ peer, guild, team, account }) =>
        !peer && guild === undefined && team === undefined && (account === undefined || account === '*'),
    ],
  ];
  for (const [matchedBy, asks] of questions) {
    const found = bindings.find((one) => others(one) && asks(one.match));
    if (found) return { agent: found.agent, matchedBy };
  }
  return { agent: 'rest', matchedBy: 'default' };
}

/** Few values, so that things meet. */
const id = fc.constantFrom('1', '2', '3');
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const channel = fc.constantFrom('telegram', 'generic');
const kind = fc.constantFrom('direct' as const, 'group' as const, 'channel' as const);
const roles = fc.uniqueArray(fc.constantFrom('r1', 'r2', 'r3'), { minLength: 1, maxLength: 2 });
const place: fc.Arbitrary<Place> = fc
  .record({
    channel,
    account: id,
    chatType: kind,
    conversation: id,
    person: maybe(id),
    thread: maybe(id),
    parent: maybe(id),
    guild: maybe(id),
    roles: maybe(roles),
    team: maybe(id),
  })
  .map((one) => (one.chatType === 'direct' ? one : { ...one, person: undefined }));
const peer = fc.oneof(fc.record({ kind, id, thread: maybe(id) }), fc.record({ kind, id: fc.constant('*') }));
const match: fc.Arbitrary<Binding['match']> = fc.record(
  { channel, account: fc.oneof(id, fc.constant('*')), peer, guild: id, roles, team: id },
  { requiredKeys: ['channel'] },
);
const bindings = fc.array(match, { maxLength: 12 }).map((matches) => matches.map((one, i) => binding(`b${i}`, one)));

test('RT-1 the decision is the one of the plain rule, whatever the bindings and the message', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(bindings, place, (all, where) => {
      const { agent, matchedBy } = new Router(rulesOf(all)).route(where);
      seen.set(matchedBy, (seen.get(matchedBy) ?? 0) + 1);
      expect({ agent, matchedBy }).toEqual(slowModel(all, where));
    }),
    { numRuns: 8000 },
  );
  expect(seen.size).toBe(9);
});

test('RT-1 the explanation tells the same decision, and refuses each binding it passes for a reason', () => {
  fc.assert(
    fc.property(bindings, place, (all, where) => {
      const rules = rulesOf(all);
      const router = new Router(rules);
      const { route, tiers } = explainRoute(router, rules, where);
      expect(route).toEqual(router.route(where));
      expect(tiers.at(-1)).toMatchObject({ rule: route.matchedBy, matched: route.source });
      expect(tiers.filter(({ matched }) => matched !== undefined)).toHaveLength(1);
      for (const { refused } of tiers) for (const { because } of refused) expect(because).toMatch(/asks for|is in no thread/);
    }),
    { numRuns: 1000 },
  );
});

const message: Place = {
  channel: 'telegram',
  account: 'shop',
  chatType: 'group',
  conversation: '-100',
  thread: '7',
  guild: 'g',
  roles: ['staff'],
  team: 'x',
};
const all: Binding[] = [
  binding('channel', { channel: 'telegram' }),
  binding('account', { channel: 'telegram', account: 'shop' }),
  binding('team', { channel: 'telegram', team: 'x' }),
  binding('guild', { channel: 'telegram', guild: 'g' }),
  binding('guild+roles', { channel: 'telegram', guild: 'g', roles: ['boss', 'staff'] }),
  binding('peer.wildcard', { channel: 'telegram', peer: { kind: 'group', id: '*' } }),
  binding('peer.parent', { channel: 'telegram', peer: { kind: 'group', id: '-100' } }),
  binding('peer', { channel: 'telegram', peer: { kind: 'group', id: '-100', thread: '7' } }),
];

test.each(all.map((_, i) => i))(
  'RT-1 of the first %i of all bindings and the next, the narrowest wins, however late it is written',
  (i) => {
    expect(new Router(rulesOf(all.slice(0, i + 1))).route(message).matchedBy).toBe(`binding.${all[i]?.agent}`);
  },
);

test('RT-1 inside a tier the first that is written wins, and one with more to ask can be passed over', () => {
  const staff = binding('staff', { channel: 'telegram', peer: { kind: 'group', id: '-100' }, guild: 'g', roles: ['boss'] });
  const [first, second] = [binding('first', { channel: 'telegram', account: '*' }), binding('second', { channel: 'telegram' })];
  expect(new Router(rulesOf([first, second])).route(message).agent).toBe('first');
  expect(new Router(rulesOf([staff, second])).route(message).agent).toBe('second');
  expect(new Router(rulesOf([staff, second])).route({ ...message, roles: ['boss'] }).agent).toBe('staff');
});

test('RT-1 a direct chat can be bound by the person or by the conversation', () => {
  const direct: Place = { channel: 'generic', account: 'crm', chatType: 'direct', conversation: 'conv-1', person: 'u7' };
  for (const one of ['u7', 'conv-1']) {
    const rules = rulesOf([binding('own', { channel: 'generic', peer: { kind: 'direct', id: one } })]);
    expect(new Router(rules).route(direct).matchedBy).toBe('binding.peer');
  }
});

test('RT-1 without a default, what nobody owns is an error that says what to write', () => {
  const none = () => new Router({ ...rulesOf([]), fallback: undefined }).route(message);
  expect(none).toThrow(InvalidInputError);
  expect(none).toThrow('telegram account shop; add a binding for it, or set defaultAgent');
});
