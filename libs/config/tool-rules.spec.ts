import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from './load-config.js';
import { allToolRules, toolRules, type ToolUser } from './tool-rules.js';

function load(options: object) {
  const file = join(mkdtempSync(join(tmpdir(), 'turnpike-policy-')), 'turnpike.json5');
  writeFileSync(file, JSON.stringify(options));
  return loadConfig({ file, env: {}, standalone: true });
}

const bot = { botToken: '1:bot', secretToken: 'telegram-secret-0001' };
const config = load({
  tools: { deny: ['exec'], bySender: { 'telegram:7': { deny: ['a'] }, '*': { deny: ['b'] } }, subagents: { deny: ['message'] } },
  agents: {
    main: { tools: { profile: 'messaging', byProvider: { openai: { deny: ['c'] }, 'openai/small': { allow: ['d'] } } } },
    ops: {},
  },
  defaultAgent: 'main',
  channels: {
    telegram: { tools: { deny: ['e'] }, accounts: { shop: { ...bot, tools: { alsoAllow: ['f'] } } } },
    webchat: { tools: { deny: ['g'] } },
  },
  tenants: { acme: { tools: { allow: ['h'] }, agents: { main: { tools: { deny: ['i'] } } } } },
});

const user: ToolUser = {
  tenant: 'default',
  agent: 'main',
  channel: 'telegram',
  account: 'shop',
  senders: ['telegram:7'],
  models: ['openai/small'],
  isSubagent: false,
};
const paths = (more: Partial<ToolUser>) => toolRules(config, { ...user, ...more }).map(({ at }) => at);

test('TO-7 every place that says something to somebody, from the deployment down to the account', () => {
  expect(paths({})).toEqual([
    'tools',
    'tools.bySender.telegram:7',
    'agents.main.tools.byProvider.openai',
    'agents.main.tools.byProvider.openai/small',
    'channels.telegram.tools',
    'channels.telegram.accounts.shop.tools',
    'agents.main.tools',
  ]);
  expect(paths({ channel: 'webchat', account: 'default', agent: 'ops', senders: ['webchat:ann'], isSubagent: true })).toEqual([
    'tools',
    'tools.bySender.*',
    'tools.subagents',
    'channels.webchat.tools',
  ]);
  expect(paths({ senders: ['telegram:7', 'telegram:8'], models: ['ollama/x'], agent: 'ops' })).toEqual([
    'tools',
    'tools.bySender.telegram:7',
    'tools.bySender.*',
    'channels.telegram.tools',
    'channels.telegram.accounts.shop.tools',
  ]);
});

test('TO-7 of deployment, tenant and agent the nearest profile counts, with the nearest alsoAllow; by provider one more', () => {
  const small = { byProvider: { openai: { profile: 'messaging' } } };
  const nested = load({
    tools: { profile: 'coding', alsoAllow: ['x'], ...small },
    agents: { main: { tools: { profile: 'messaging' } }, plain: { tools: { alsoAllow: ['y'] } } },
    defaultAgent: 'main',
    tenants: { acme: { tools: { profile: 'minimal' }, agents: { main: {} } } },
  });
  const profiles = (more: Partial<ToolUser>) =>
    toolRules(nested, { ...user, models: [], ...more }).flatMap(({ at, rules: { profile, alsoAllow } }) =>
      profile === undefined ? [] : [[at, profile, ...alsoAllow]],
    );
  expect(profiles({})).toEqual([['agents.main.tools', 'messaging', 'x']]);
  expect(profiles({ agent: 'plain' })).toEqual([['tools', 'coding', 'y']]);
  expect(profiles({ tenant: 'acme' })).toEqual([['tenants.acme.tools', 'minimal', 'x']]);
  expect(profiles({ agent: 'plain', models: ['openai/large'] })).toEqual([
    ['tools', 'coding', 'y'],
    ['tools.byProvider.openai', 'messaging'],
  ]);
});

test('TO-7 TN-1 a tenant has the rules of the deployment and its own, and nothing of another', () => {
  expect(paths({ tenant: 'acme', senders: [] })).toEqual(['tools', 'tenants.acme.tools', 'tenants.acme.agents.main.tools']);
  for (const gone of [{ tenant: 'gone' }, { agent: 'gone' }])
    expect(toolRules(config, { ...user, ...gone })).toContainEqual(
      expect.objectContaining({ rules: expect.objectContaining({ allow: [] }) }),
    );
});

test('TO-7 all of them are found for a check of their names', () => {
  expect(
    allToolRules(config)
      .map(({ at }) => at)
      .toSorted(),
  ).toEqual(
    [
      'tools',
      'tools.bySender.telegram:7',
      'tools.bySender.*',
      'tools.subagents',
      'agents.main.tools',
      'agents.main.tools.byProvider.openai',
      'agents.main.tools.byProvider.openai/small',
      'channels.webchat.tools',
      'channels.telegram.tools',
      'channels.telegram.accounts.shop.tools',
      'tenants.acme.tools',
      'tenants.acme.agents.main.tools',
    ].toSorted(),
  );
});

test('TO-7 a section for a provider or a channel that there cannot be is refused, with its place', () => {
  const refused = (tools: object) => () => load({ agents: { main: { tools } } });
  expect(refused({ byProvider: { opnai: { deny: ['exec'] } } })).toThrow(
    /agents\.main\.tools\.byProvider\.opnai.*"opnai" is no provider/s,
  );
  expect(refused({ bySender: { 'telegarm:7': {} } })).toThrow(
    /agents\.main\.tools\.bySender\.telegarm:7.*"telegarm" is no channel/s,
  );
  expect(
    refused({ byProvider: { anthropic: {}, 'openai/x': {} }, bySender: { 'telegram:7': {}, '*': {}, 'webchat:ann': {} } }),
  ).not.toThrow();
});
