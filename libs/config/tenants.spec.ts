import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  accountOwners,
  agentConfig,
  ConfigError,
  ConfigSource,
  loadConfig,
  routingRules,
  redactConfig,
  secretValues,
  tenantConfig,
} from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-tenants-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'turnpike.json5');

function load(file: object) {
  writeFileSync(path, JSON.stringify(file));
  return loadConfig({ env: {}, file: path });
}

function complaints(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => `${problem.path}: ${problem.message}`);
    throw error;
  }
  return [];
}

const bot = (number: number) => ({ botToken: `${number}:bot`, secretToken: `telegram-secret-000${number}` });
const hook = (name: string) => ({ secret: `webhook-secret-of-${name}` });
const acme = {
  agents: { main: { systemPrompt: 'Acme' } },
  channels: { telegram: { accounts: { acme: bot(2) } }, webhook: { accounts: { 'acme-crm': hook('acme') } } },
};

test('TN-1 the top level is the tenant default; each other has its own agents and accounts, and inherits nothing', () => {
  const config = load({ agents: { main: { systemPrompt: 'ours' }, second: {} }, defaultAgent: 'main', tenants: { acme } });
  expect(tenantConfig(config, 'default')).toBe(config);
  expect(agentConfig(config, 'default', 'main')).toMatchObject({ systemPrompt: 'ours' });
  expect(agentConfig(config, 'acme', 'main')).toMatchObject({ systemPrompt: 'Acme', model: 'scripted/demo' });
  expect(agentConfig(config, 'acme', 'second')).toBeUndefined();
  for (const name of ['nobody', 'constructor', '__proto__', '']) {
    expect(tenantConfig(config, name)).toBeUndefined();
    expect(agentConfig(config, 'acme', name)).toBeUndefined();
  }
  expect(Object.fromEntries(accountOwners(config))).toEqual({ 'telegram/acme': 'acme', 'generic/acme-crm': 'acme' });
});

test('RT-1 the agent for the rest is the one named, else the only one, and never the first of several', () => {
  const owner = (file: object) => routingRules('default', load(file)).fallback;
  expect(owner({})).toEqual({ agent: 'main', source: 'the only agent' });
  expect(owner({ agents: { sales: {} } })).toEqual({ agent: 'sales', source: 'the only agent' });
  expect(owner({ agents: { sales: {}, help: {} }, defaultAgent: 'help' })).toEqual({ agent: 'help', source: 'defaultAgent' });
});

test('TN-1 OP-4 secrets of a tenant are masked and scrubbed like all others', () => {
  const config = load({ tenants: { acme } });
  const printed = JSON.stringify(redactConfig(config));
  for (const value of ['2:bot', 'telegram-secret-0002', 'webhook-secret-of-acme']) {
    expect(printed).not.toContain(value);
    expect(secretValues(config)).toContain(value);
  }
});

const two = { sales: {}, help: {} };
test.each<[string, object, string]>([
  [
    'several agents and an account without an owner',
    { agents: two, channels: { webchat: { agent: 'help' }, telegram: { accounts: { shop: bot(1) } } } },
    'channels.telegram.accounts.shop.agent: there are several agents (sales, help)',
  ],
  [
    'several agents of a tenant',
    { tenants: { acme: { agents: two } } },
    'tenants.acme.channels.webchat.agent: there are several',
  ],
  [
    'a binding that takes only part of an account',
    { agents: two, bindings: [{ agent: 'help', match: { channel: 'webchat', peer: { kind: 'direct', id: '*' } } }] },
    'channels.webchat.agent: there are several agents',
  ],
  ['a default agent nobody knows', { defaultAgent: 'x' }, 'defaultAgent: "x" is no agent; known: main'],
  ['a binding to nobody', { bindings: [{ agent: 'x', match: { channel: 'webchat' } }] }, 'bindings.0.agent: "x" is no agent'],
  [
    "a binding of a tenant to the top level's agent",
    { agents: { ours: {} }, tenants: { acme: { bindings: [{ agent: 'ours', match: { channel: 'webchat' } }] } } },
    'tenants.acme.bindings.0.agent: "ours" is no agent; known: main',
  ],
  [
    "a binding to another tenant's account",
    { tenants: { acme }, bindings: [{ agent: 'main', match: { channel: 'telegram', account: 'acme' } }] },
    'bindings.0.match.account: "acme" is no account of telegram; known: none',
  ],
  ['an unknown channel', { bindings: [{ agent: 'main', match: { channel: 'webhook' } }] }, 'bindings.0.match.channel: "webhook"'],
  [
    'roles of no guild',
    { bindings: [{ agent: 'main', match: { channel: 'generic', roles: ['a'] } }] },
    'bindings.0.match.roles: are those of a guild',
  ],
  [
    'a thread of every chat',
    { bindings: [{ agent: 'main', match: { channel: 'generic', peer: { kind: 'group', id: '*', thread: '1' } } }] },
    'bindings.0.match.peer.thread: is one of a chat',
  ],
  [
    'one id of two people',
    { session: { identityLinks: { ann: ['telegram:1'], bob: ['generic:1', 'telegram:1'] } } },
    'session.identityLinks.bob.1: "telegram:1" is linked to ann already',
  ],
  [
    'a link to no channel',
    { session: { identityLinks: { ann: ['irc:1'] } } },
    'session.identityLinks.ann.0: "irc" is no channel',
  ],
  [
    'an account of two tenants',
    { tenants: { acme, beta: acme } },
    'tenants.beta.channels.telegram.accounts.acme: /webhooks/telegram/acme is already tenants.acme',
  ],
  ['the default tenant under its name', { tenants: { default: {} } }, 'tenants.default: is the top level of the file'],
  [
    'a token of no tenant',
    { tenants: { acme }, auth: { tokens: [{ name: 't', tenant: 'amce', token: 'a-token-of-16-chars' }] } },
    'auth.tokens.0.tenant: "amce" is no tenant; known: default, acme',
  ],
  [
    'a model nobody serves',
    { tenants: { acme: { agents: { main: { model: 'openai/x' } } } } },
    'tenants.acme.agents.main.model: needs',
  ],
  ['an unknown option', { tenants: { acme: { agent: {} } } }, 'tenants.acme.agent: no such option'],
])('RT-1 TN-1 refused: %s', (_, file, says) => {
  expect(complaints(() => load(file))).toContainEqual(expect.stringContaining(says));
});

test('RT-1 every account with an owner of its own needs no default', () => {
  const bindings = [
    { agent: 'help', match: { channel: 'webchat' } },
    { agent: 'sales', match: { channel: 'telegram', account: 'shop' } },
  ];
  const channels = {
    telegram: { accounts: { shop: bot(1) } },
    webhook: { accounts: { crm: { ...hook('crm'), agent: 'help' } } },
  };
  expect(complaints(() => load({ agents: two, bindings, channels }))).toEqual([]);
});

test('OP-6 agents, bindings and session settings of every tenant are live; accounts and tenants wait for a start', () => {
  load({ tenants: { acme } });
  const source = new ConfigSource(() => loadConfig({ env: {}, file: path }));
  const bindings = [{ agent: 'help', match: { channel: 'webchat' } }];
  load({
    agents: { main: { systemPrompt: 'new' } },
    tenants: { acme: { ...acme, agents: { main: {}, help: {} }, defaultAgent: 'main', bindings, channels: {} }, beta: {} },
  });
  const { needRestart } = source.reload();
  expect(tenantConfig(source.current, 'default')?.agents.main?.systemPrompt).toBe('new');
  expect(tenantConfig(source.current, 'acme')).toMatchObject({ bindings, channels: acme.channels });
  expect(tenantConfig(source.current, 'beta')).toBeUndefined();
  expect(needRestart).toContain('tenants.acme.channels.webhook.accounts.acme-crm.secret');
});

test('OP-6 a reload whose live part does not go with what waits is refused whole', () => {
  const accounts = { shop: { ...bot(1), agent: 'sales' } };
  const running = load({ agents: two, defaultAgent: 'help', channels: { telegram: { accounts } } });
  const source = new ConfigSource(() => loadConfig({ env: {}, file: path }));
  load({ agents: { help: {} } });
  expect(complaints(() => source.reload())).toEqual([
    'channels.telegram.accounts.shop.agent: needs a restart, because what it goes with does; until then: "sales" is no agent; known: help',
  ]);
  expect(source.current).toEqual(running);
});
