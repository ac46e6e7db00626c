import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig, redactConfig, secretValues } from './index.js';
import { configJsonSchema, type SchemaNode } from './schema-map.js';

const SECRETS = {
  TURNPIKE_ADMIN_TOKEN: 'admin-token-admin-token',
  OPENAI_API_KEY: 'sk-openai',
  TELEGRAM_BOT_TOKEN: '12:telegram',
  TELEGRAM_WEBHOOK_SECRET_TOKEN: 'telegram-secret-token',
};

test('OP-4 no secret survives redaction, and the rest does', () => {
  const config = loadConfig({ env: { ...SECRETS, REDIS_URL: 'redis://user:pass/word@host:6379/0' } });
  const printed = JSON.stringify(redactConfig(config));
  for (const value of [...Object.values(SECRETS), 'pass/word']) expect(printed).not.toContain(value);
  expect(printed).toContain('redis://user:***@host:6379/0');
  expect(printed).toContain('"port":3000');
  expect(secretValues(config).sort()).toEqual([...Object.values(SECRETS), 'pass/word'].sort());
});

test('OP-4 OP-12 the passwords of an address are masked, those of its sentinels too', () => {
  const url = 'redis-sentinel://user:pass/word@host/master?sentinelPassword=other%26word';
  const config = loadConfig({ env: { REDIS_URL: url } });
  const masked = 'redis-sentinel://user:***@host/master?sentinelPassword=***';
  expect(redactConfig(config)).toMatchObject({ redis: { url: masked } });
  expect(secretValues(config)).toEqual(expect.arrayContaining(['pass/word', 'other%26word']));
});

test('OP-4 whatever is named like a secret is marked as one', () => {
  const unmarked: string[] = [];
  const visit = (node: SchemaNode, path: string): void => {
    for (const [key, child] of Object.entries(node.properties ?? {})) {
      if (/token$|secret|(?<!public)key$|password/i.test(key) && child.type === 'string' && !child.secret)
        unmarked.push(`${path}.${key}`);
      visit(child, `${path}.${key}`);
    }
    if (node.additionalProperties) visit(node.additionalProperties, `${path}.*`);
    if (node.items) visit(node.items, `${path}.*`);
  };
  visit(configJsonSchema, '');
  expect(unmarked).toEqual([]);
  expect(configJsonSchema.properties?.auth?.properties?.adminToken?.secret).toBe(true);
});

test('OP-4 of headers and options of plugins the secrets are known, the words are not', () => {
  const entry = {
    config: { mode: 'production', apiKey: 'short-one', deep: { list: ['a1b2c3d4e5f6a7b8c9'], url: 'https://example.com/v1' } },
  };
  const headers = { authorization: 'Bearer abcdefgh-12345678', 'x-region': 'eu-central-1' };
  const file = join(mkdtempSync(join(tmpdir(), 'turnpike-config-')), 'turnpike.json5');
  const servers = { y: { url: 'https://example.com/mcp', headers } };
  writeFileSync(file, JSON.stringify({ plugins: { entries: { x: entry } }, mcpServers: servers }));
  const config = loadConfig({ file, env: {} });
  expect(secretValues(config).sort()).toEqual(
    ['Bearer abcdefgh-12345678', 'a1b2c3d4e5f6a7b8c9', 'abcdefgh-12345678', 'short-one'].sort(),
  );
  expect(JSON.stringify(redactConfig(config))).not.toMatch(/"mode":"production|eu-central/);
});
