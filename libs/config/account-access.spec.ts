import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { accountAccess, ConfigError, loadConfig, type Config } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-access-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bot = { botToken: '1:a', secretToken: 'a-secret-token-of-it' };
const crm = { secret: 'a-secret-of-a-webhook' };

function load(file: object): Config {
  const path = join(folder, 'turnpike.json5');
  writeFileSync(path, JSON.stringify(file));
  return loadConfig({ env: {}, file: path });
}

function configured(access: object, ofTelegram: object = {}, ofShop: object = {}): Config {
  const telegram = { access: ofTelegram, accounts: { shop: { ...bot, access: ofShop } } };
  return load({ access, channels: { telegram, webhook: { accounts: { crm } } } });
}

const ofBot = (config: Config) => accountAccess(config, 'default', 'telegram', 'shop');
const ofHook = (config: Config) => accountAccess(config, 'default', 'generic', 'crm');

test('IN-8 a chat platform starts closed, a webhook whose caller holds its secret open', () => {
  const nobodyYet = { owners: [], allowFrom: [], groups: {} };
  const whenMentioned = { requireMention: true, mentionPatterns: [], historyLimit: 50 };
  const closed = { dmPolicy: 'pairing', groupPolicy: 'allowlist', bots: 'ignore' };
  expect(ofBot(configured({}))).toEqual({ ...closed, ...nobodyYet, ...whenMentioned });
  expect(ofHook(configured({}))).toMatchObject({ dmPolicy: 'open', groupPolicy: 'open', requireMention: false, bots: 'ignore' });
});

test('IN-8 the account goes before its channel, the channel before the tenant, option by option', () => {
  const config = configured(
    { dmPolicy: 'open', historyLimit: 1, bots: 'allow', owners: ['telegram:1'] },
    { historyLimit: 2, bots: 'mention' },
    { bots: 'ignore' },
  );
  const layered = { dmPolicy: 'open', historyLimit: 2, bots: 'ignore', owners: ['telegram:1'], requireMention: true };
  expect(ofBot(config)).toMatchObject(layered);
  expect(ofHook(config)).toMatchObject({ historyLimit: 1, bots: 'allow' });
  expect(accountAccess(config, 'default', 'telegram', 'toString')).toMatchObject({ bots: 'mention' });
});

test('IN-8 TN-1 no tenant opens the accounts of another', () => {
  const acme = { channels: { telegram: { accounts: { acme: bot } } } };
  const config = load({ access: { dmPolicy: 'open', owners: ['telegram:1'] }, tenants: { acme } });
  const closed = { dmPolicy: 'pairing', groups: {}, owners: [] };
  expect(accountAccess(config, 'acme', 'telegram', 'acme')).toMatchObject(closed);
  expect(accountAccess(config, 'gone', 'telegram', 'acme')).toMatchObject(closed);
});

test.each<[object, string]>([
  [{ owners: ['123'] }, 'access.owners.0'],
  [{ mentionPatterns: ['(a+)+'] }, 'access.mentionPatterns.0'],
  [{ dmPolicy: 'everybody' }, 'access.dmPolicy'],
  [{ groups: { '-1': { owners: ['telegram:1'] } } }, 'access.groups.-1.owners'],
])('IN-8 OP-6 %j is refused, and said where', (access, path) => {
  expect(() => load({ access })).toThrow(ConfigError);
  expect(() => load({ access })).toThrow(`  ${path}: `);
});
