import { describe, expect, test } from 'vitest';
import type { InboundEvent } from '#contracts';
import { isListed, isOwner, type AccessPolicy } from './access-policy.js';
import { judgeAccess, type AccessFacts, type AccessVerdict } from './judge-access.js';

const event = (over: Partial<InboundEvent> = {}): InboundEvent => ({
  channel: 'telegram',
  account: 'shop',
  kind: 'message',
  eventId: 'e1',
  edit: 0,
  conversation: '7',
  chatType: 'direct',
  thread: null,
  messageId: '1',
  sender: { id: '7', name: 'Ann', isBot: false },
  text: 'hello',
  media: [],
  replyTo: null,
  mentionsBot: false,
  at: null,
  startsTurn: true,
  ...over,
});
const policy = (over: Partial<AccessPolicy> = {}): AccessPolicy => ({
  dmPolicy: 'pairing',
  allowFrom: [],
  groupPolicy: 'allowlist',
  groups: { '-1': {} },
  requireMention: true,
  mentionPatterns: [],
  historyLimit: 50,
  bots: 'ignore',
  owners: [],
  ...over,
});
const group = (over: Partial<InboundEvent> = {}) => event({ conversation: '-1', chatType: 'group', ...over });
const bot = { id: '9', name: 'Bot', isBot: true };

const admit: AccessVerdict = { kind: 'admit' };
const pair: AccessVerdict = { kind: 'pair' };
const remember = (most = 50): AccessVerdict => ({ kind: 'remember', most });
const ask = (fact: keyof AccessFacts): AccessVerdict => ({ kind: 'ask', fact });
const ignore = (reason: string) => ({ kind: 'ignore', reason });

type Row = [what: string, event: InboundEvent, policy: AccessPolicy, facts: AccessFacts, verdict: unknown];

const direct: Row[] = [
  ['open: anybody', event(), policy({ dmPolicy: 'open' }), {}, admit],
  ['disabled: nobody', event(), policy({ dmPolicy: 'disabled', allowFrom: ['7'] }), {}, ignore('disabled')],
  ['disabled: no owner either', event(), policy({ dmPolicy: 'disabled', owners: ['telegram:7'] }), {}, ignore('disabled')],
  ['allowlist: who is on it', event(), policy({ dmPolicy: 'allowlist', allowFrom: ['7'] }), {}, admit],
  ['allowlist: nobody else', event(), policy({ dmPolicy: 'allowlist', allowFrom: ['77', '5'] }), {}, ignore('not-allowed')],
  ['allowlist: empty is nobody', event(), policy({ dmPolicy: 'allowlist' }), {}, ignore('not-allowed')],
  [
    'allowlist: the approved of pairing do not count',
    event(),
    policy({ dmPolicy: 'allowlist' }),
    { paired: true },
    ignore('not-allowed'),
  ],
  ['an owner', event(), policy({ owners: ['telegram:7'] }), {}, admit],
  ['an owner of another channel', event(), policy({ owners: ['generic:7'] }), {}, ask('paired')],
  ['pairing: whether approved is asked', event(), policy(), {}, ask('paired')],
  ['pairing: approved', event(), policy(), { paired: true }, admit],
  ['pairing: a stranger', event(), policy(), { paired: false }, pair],
  ['pairing: who is on the list needs none', event(), policy({ allowFrom: ['telegram:7'] }), {}, admit],
  ["pairing: a stranger's edit asks for nothing", event({ kind: 'edit' }), policy(), { paired: false }, ignore('not-paired')],
  ["pairing: nor does a stranger's button", event({ kind: 'callback' }), policy(), { paired: false }, ignore('not-paired')],
  ['pairing: nor a bot', event({ sender: bot }), policy({ bots: 'allow' }), {}, ignore('not-allowed')],
  [
    'the rules of groups do not count',
    event({ conversation: '-1' }),
    policy({ groupPolicy: 'disabled', dmPolicy: 'open' }),
    {},
    admit,
  ],
];

const groups: Row[] = [
  ['disabled', group({ mentionsBot: true }), policy({ groupPolicy: 'disabled' }), {}, ignore('disabled')],
  ['a group that is not named', group({ conversation: '-2', mentionsBot: true }), policy(), {}, ignore('group-not-allowed')],
  ['no group named: none is heard', group({ mentionsBot: true }), policy({ groups: {} }), {}, ignore('group-not-allowed')],
  [
    'a group called like a method',
    group({ conversation: 'toString', mentionsBot: true }),
    policy(),
    {},
    ignore('group-not-allowed'),
  ],
  ['every group', group({ conversation: '-2', mentionsBot: true }), policy({ groups: { '*': {} } }), {}, admit],
  [
    'every group but one',
    group({ mentionsBot: true }),
    policy({ groupPolicy: 'open', groups: { '-1': { enabled: false } } }),
    {},
    ignore('group-not-allowed'),
  ],
  ['open: every group', group({ conversation: '-2', mentionsBot: true }), policy({ groupPolicy: 'open', groups: {} }), {}, admit],
  ['a sender who is not on the list', group({ mentionsBot: true }), policy({ groupAllowFrom: ['8'] }), {}, ignore('not-allowed')],
  [
    'pairing gives no right in groups',
    group({ mentionsBot: true }),
    policy({ groupAllowFrom: [] }),
    { paired: true },
    ignore('not-allowed'),
  ],
  [
    'nor does the list of direct chats',
    group({ mentionsBot: true }),
    policy({ groupAllowFrom: [], allowFrom: ['7'] }),
    {},
    ignore('not-allowed'),
  ],
  ['an owner needs no list', group({ mentionsBot: true }), policy({ groupAllowFrom: [], owners: ['telegram:7'] }), {}, admit],
  [
    "a group's own list",
    group({ mentionsBot: true }),
    policy({ groupAllowFrom: [], groups: { '-1': { allowFrom: ['7'] } } }),
    {},
    admit,
  ],
  ['mentioned', group({ mentionsBot: true }), policy(), {}, admit],
  ['not mentioned: the session is asked', group(), policy(), {}, ask('activation')],
  ['not mentioned', group(), policy(), { activation: null }, remember()],
  ['/activation always', group(), policy(), { activation: 'always' }, admit],
  [
    '/activation mention over the configuration',
    group(),
    policy({ requireMention: false }),
    { activation: 'mention' },
    remember(),
  ],
  ['no mention required', group(), policy({ requireMention: false }), { activation: null }, admit],
  ['the group over the account', group(), policy({ groups: { '-1': { requireMention: false } } }), { activation: null }, admit],
  [
    'a named group inherits from *',
    group(),
    policy({ groups: { '*': { requireMention: false }, '-1': {} } }),
    { activation: null },
    admit,
  ],
  ['a pattern', group({ text: 'Hey TURNPIKE, hi' }), policy({ mentionPatterns: ['\\bturnpike\\b'] }), {}, admit],
  ['no pattern', group({ text: 'turnpikes' }), policy({ mentionPatterns: ['\\bturnpike\\b'] }), { activation: null }, remember()],
  [
    'a pattern too far down',
    group({ text: `${' '.repeat(1000)}turnpike` }),
    policy({ mentionPatterns: ['turnpike'] }),
    { activation: null },
    remember(),
  ],
  ['a command', group({ text: '/stop' }), policy(), {}, admit],
  ['a button of ours', group({ kind: 'callback' }), policy(), {}, admit],
  ['an edit is nothing to remember', group({ kind: 'edit' }), policy(), { activation: null }, ignore('not-mentioned')],
  ['no history kept', group(), policy({ historyLimit: 0 }), { activation: null }, ignore('not-mentioned')],
  ['as much as the group says', group(), policy({ groups: { '-1': { historyLimit: 5 } } }), { activation: null }, remember(5)],
  [
    'a channel follows the rules of groups',
    event({ chatType: 'channel', conversation: '-2' }),
    policy(),
    {},
    ignore('group-not-allowed'),
  ],
];

const bots: Row[] = [
  ['ignored by default', event({ sender: bot }), policy({ dmPolicy: 'open' }), {}, ignore('bot')],
  [
    'our own words, whatever is allowed',
    event({ sender: bot, fromSelf: true }),
    policy({ dmPolicy: 'open', bots: 'allow' }),
    {},
    ignore('self'),
  ],
  ['allowed: within a budget', event({ sender: bot }), policy({ dmPolicy: 'open', bots: 'allow' }), {}, ask('botBudget')],
  ['allowed', event({ sender: bot }), policy({ dmPolicy: 'open', bots: 'allow' }), { botBudget: 'left' }, admit],
  [
    'over its budget',
    event({ sender: bot }),
    policy({ dmPolicy: 'open', bots: 'allow' }),
    { botBudget: 'spent' },
    ignore('bot-loop'),
  ],
  [
    'the end of it',
    event({ sender: bot }),
    policy({ dmPolicy: 'open', bots: 'allow' }),
    { botBudget: 'ends' },
    { kind: 'endTalk' },
  ],
  [
    'mention: when it mentions us',
    group({ sender: bot, mentionsBot: true }),
    policy({ bots: 'mention' }),
    { botBudget: 'left' },
    admit,
  ],
  ['mention: not for less', group({ sender: bot }), policy({ bots: 'mention' }), { activation: 'always' }, remember()],
  ['allow: as people', group({ sender: bot }), policy({ bots: 'allow' }), { activation: 'always', botBudget: 'left' }, admit],
  [
    'the group over the account',
    group({ sender: bot, mentionsBot: true }),
    policy({ bots: 'allow', groups: { '-1': { bots: 'ignore' } } }),
    {},
    ignore('bot'),
  ],
];

describe.each([
  ['IN-8 direct', direct],
  ['IN-8 group', groups],
  ['IN-8 B073 bots', bots],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_what, said, rules, facts, verdict) => {
    expect(judgeAccess(said, rules, facts)).toEqual(verdict);
  });
});

const named = { channel: 'telegram', sender: { id: '7' }, senderUsername: 'Ann' };
test.each([
  ['7', true],
  ['telegram:7', true],
  ['generic:7', false],
  ['username:aNN', true],
  ['Ann', false],
  ['username:7', false],
])('IN-8 the list entry %s', (entry, listed) => {
  expect(isListed([entry], named)).toBe(listed);
});

test('IN-8 a user name alone makes nobody an owner, and nobody without one is username:undefined', () => {
  expect(isOwner({ owners: ['username:ann', '7', 'telegram:70'] }, named)).toBe(false);
  expect(isListed(['username:', 'username:undefined'], { channel: 'telegram', sender: { id: '8' } })).toBe(false);
});
