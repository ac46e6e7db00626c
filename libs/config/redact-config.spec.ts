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
