import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, type ConfigOptions } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string, name = 'turnpike.json5'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What a person would read. */
function complaint(options: ConfigOptions): string {
  try {
    loadConfig({ env: {}, ...options });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('OP-6 defaults', () => {
  test('OP-6 nothing at all is a working configuration with the offline demo model', () => {
    const config = loadConfig({ env: {} });
    expect(config.http).toEqual({ host: '0.0.0.0', port: 3000, proxies: 0, bodyLimitBytes: 1_048_576, webhookTimeoutMs: 2000 });
    expect(config.agents.main).toMatchObject({ model: 'scripted/demo', maxSteps: 30, narration: true });
    expect(config.tools.message).toEqual({
      defaultDeliveryMode: 'immediate',
      fallbackToBatchOnError: true,
      receiptWaitMs: 10_000,
    });
    expect(config.channels.telegram.accounts).toEqual({});
  });

  test('OP-6 standalone listens on this machine only, unless told otherwise', () => {
    expect(loadConfig({ env: {}, standalone: true }).http.host).toBe('127.0.0.1');
    expect(loadConfig({ env: { HOST: '0.0.0.0' }, standalone: true }).http.host).toBe('0.0.0.0');
  });

  test('OP-6 RT-1 agent main is there only when the file names no agent', () => {
    const file = fileOf(`{agents: {sales: {maxSteps: 3}}}`);
    const { agents } = loadConfig({ env: {}, file });
    expect(Object.keys(agents)).toEqual(['sales']);
    expect(agents.sales).toMatchObject({ maxSteps: 3, model: 'scripted/demo' });
  });

  test.each([
    [{ OPENAI_API_KEY: 'k' }, 'openai/gpt-5-mini'],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'qwen3:8b' }, 'openai/qwen3:8b'],
    [{ OPENAI_MODEL: 'x' }, 'scripted/demo'],
  ])('OP-6 agents that name no model follow the provider: %o -> %s', (env, model) => {
    expect(loadConfig({ env }).agents.main?.model).toBe(model);
  });
});

describe('OP-6 file and environment', () => {
  test('OP-6 the environment wins over the file, the file over the default', () => {
    const file = fileOf(`{http: {port: 4000}, lanes: {lockMs: 9000, turns: {concurrency: 7}}} // comments are fine`);
    const config = loadConfig({ file, env: { PORT: '5000', TURNPIKE_TURN_CONCURRENCY: '9', TURNPIKE_STALLED_CHECK_MS: '500' } });
    expect([config.http.port, config.lanes.lockMs, config.lanes.turns.concurrency]).toEqual([5000, 9000, 9]);
    expect(config.lanes.stalledCheckMs).toBe(500);
  });

  test('OP-6 the file is --config, else TURNPIKE_CONFIG', () => {
    const one = fileOf('{http: {port: 1111}}', 'one.json5');
    const two = fileOf('{http: {port: 2222}}', 'two.json5');
    expect(loadConfig({ env: { TURNPIKE_CONFIG: two }, argv: ['serve', '--config', one] }).http.port).toBe(1111);
    expect(loadConfig({ env: { TURNPIKE_CONFIG: two } }).http.port).toBe(2222);
  });

  test('OP-6 secrets come from files: NAME_FILE and ${NAME} in the file', () => {
    const file = fileOf(
      '{channels: {webhook: {accounts: {shop: {secret: "${SHOP_SECRET}"}}}}, agents: {main: {systemPrompt: "say $${HOME}"}}}',
    );
    const env = {
      SHOP_SECRET_FILE: fileOf('a-secret-of-the-shop\n', 'shop'),
      TURNPIKE_ADMIN_TOKEN_FILE: fileOf('an-admin-token-0001\n', 'admin'),
    };
    const config = loadConfig({ file, env });
    expect(config.channels.webhook.accounts.shop?.secret).toBe('a-secret-of-the-shop');
    expect(config.auth.adminToken).toBe('an-admin-token-0001');
    expect(config.agents.main?.systemPrompt).toBe('say ${HOME}');
  });

  test('OUT-4 TRACE_LEVEL is an alias of LOG_LEVEL, which wins', () => {
    expect(loadConfig({ env: { TRACE_LEVEL: 'debug' } }).log.level).toBe('debug');
    expect(loadConfig({ env: { TRACE_LEVEL: 'debug', LOG_LEVEL: 'warn' } }).log.level).toBe('warn');
  });

  test('OP-6 Telegram needs two variables and becomes account "default"', () => {
    const env = { TELEGRAM_BOT_TOKEN: '12:abc', TELEGRAM_WEBHOOK_SECRET_TOKEN: 'tg-test-secret_0001' };
    expect(loadConfig({ env }).channels.telegram.accounts.default).toMatchObject({
      apiRoot: 'https://api.telegram.org',
    });
  });
});

describe('OP-6 precise errors', () => {
  test('OP-6 every problem is listed with path, finding, origin and what is allowed', () => {
    const file = fileOf(`{http: {prot: 1}, log: {level: 'loud'}, agents: {'no/slash': {}}}`);
    const text = complaint({ file, env: { PORT: 'http', REDIS_URL: 'http://u:hunter22@h' } });
    expect(text).toContain(`http.prot: no such option (${file}); allowed here: an object with host, port,`);
    expect(text).toContain(`log.level: found "loud" (from ${file}); allowed: one of "trace", "debug"`);
    expect(text).toContain('http.port: found "http" (from PORT); allowed: a whole number from 0 to 65535');
    expect(text).toContain('agents.no/slash: this name is not allowed');
    expect(text).toContain('redis.url: found "http://u:***@h" (from REDIS_URL)');
    expect(text).not.toContain('hunter22');
  });

  test('MO-1 a WebSocket is for the Responses API', () => {
    const openai = (api: string) => fileOf(`{models: {providers: {openai: {apiKey: 'k', transport: 'websocket'${api}}}}}`);
    expect(complaint({ file: openai('') })).toContain('models.providers.openai.transport: websocket needs api: openai-responses');
    const { models } = loadConfig({ env: {}, file: openai(", api: 'openai-responses'") });
    expect(models.providers.openai).toMatchObject({ transport: 'websocket' });
  });

  test('OP-6 a secret of the wrong form is never shown', () => {
    const text = complaint({ env: { TURNPIKE_ADMIN_TOKEN: 'shortone' } });
    expect(text).toContain('auth.adminToken: found "***" (from TURNPIKE_ADMIN_TOKEN); allowed: a string (At least 16');
    expect(text).not.toContain('shortone');
  });

  test('IN-1 a bot token without its secret token is refused and says how to make one', () => {
    const text = complaint({ env: { TELEGRAM_BOT_TOKEN: '12:abc' } });
    expect(text).toContain('channels.telegram.accounts.default.secretToken: is missing');
    expect(text).toContain('TELEGRAM_WEBHOOK_SECRET_TOKEN or TELEGRAM_WEBHOOK_SECRET_TOKEN_FILE');
    expect(text).toContain('openssl rand -hex 32');
  });

  test('IN-6 production without an admin token is refused; standalone makes its own', () => {
    const env = { NODE_ENV: 'production' };
    expect(complaint({ env })).toContain('auth.adminToken: is required in production; set TURNPIKE_ADMIN_TOKEN');
    expect(loadConfig({ env, standalone: true }).production).toBe(true);
    expect(loadConfig({ env: { ...env, TURNPIKE_ADMIN_TOKEN: 'an-admin-token-0001' } }).production).toBe(true);
  });

  test.each([
    [
      '{lanes: {lockMs: 2000, stalledCheckMs: 2000, deliveries: {requestTimeoutMs: 900}}}',
      'lanes.stalledCheckMs: 2000 must be below lanes.lockMs (2000)',
    ],
    ['{lanes: {lockMs: 8000}}', 'lanes.deliveries.requestTimeoutMs: 4000 must be below half of lanes.lockMs (4000)'],
    ['{ops: {port: 3000}}', 'ops.port: 3000 is http.port too'],
    [
      '{agents: {main: {model: "openai/gpt-5"}}}',
      'agents.main.model: needs openai, which is not configured; set models.providers.openai.apiKey',
    ],
    ['{agents: {main: {maxTurnCost: 1}}}', 'agents.main.maxTurnCost: needs the price of scripted/demo'],
    ['{agents: {main: {model: "acme/x"}}}', 'agents.main.model: "acme" is no provider'],
    ['{channels: {webchat: {agent: "sales"}}}', 'channels.webchat.agent: "sales" is no agent; known: main'],
    [
      '{auth: {tokens: [{name: "a", token: "0123456789abcdef"}, {name: "a", token: "0123456789abcdef"}]}}',
      'auth.tokens.1.token: is the same as another',
    ],
    ['{log: {level: "${NOWHERE}"}}', 'log.level: names ${NOWHERE}, which is not set; set NOWHERE or NOWHERE_FILE'],
    ['{log: }', 'is not valid JSON5'],
    ['[]', 'holds no object'],
    ['{http: 7}', 'http: found 7'],
  ])('OP-6 %s', (text, expected) => {
    expect(complaint({ file: fileOf(text) })).toContain(expected);
  });

  test('OP-6 a named file must exist, and so must a secret file', () => {
    expect(complaint({ file: join(folder, 'absent') })).toContain('absent: cannot be read (ENOENT)');
    expect(complaint({ env: { OPENAI_API_KEY_FILE: join(folder, 'absent') } })).toContain('OPENAI_API_KEY_FILE: the file');
    expect(complaint({ env: { OPENAI_API_KEY: 'a', OPENAI_API_KEY_FILE: fileOf('b', 'key') } })).toContain('set twice');
  });
});

describe('MO-3 fallbacks and aliases', () => {
  test('MO-3 an alias stands for its model wherever one is named, and several keys make a provider', () => {
    const file = fileOf(`{
      models: {
        aliases: { fast: 'groq/llama-3.3', cheap: 'fast', smart: 'anthropic/claude-sonnet-4-5' },
        providers: { groq: { apiKeys: ['k1', 'k2'] }, anthropic: { apiKey: 'k' } },
      },
      agents: { main: { model: 'smart', fallbacks: ['cheap', 'scripted/demo'], utilityModel: 'fast' } },
      tenants: { acme: { agents: { main: { model: 'cheap' } } } },
    }`);
    const { agents, tenants, models } = loadConfig({ env: {}, file });
    expect(agents.main).toMatchObject({
      model: 'anthropic/claude-sonnet-4-5',
      fallbacks: ['groq/llama-3.3', 'scripted/demo'],
      utilityModel: 'groq/llama-3.3',
    });
    expect(tenants.acme?.agents.main?.model).toBe('groq/llama-3.3');
    expect(models.aliases.cheap).toBe('groq/llama-3.3');
  });

  test.each([
    ["agents: {main: {fallbacks: ['acme/x']}}", 'agents.main.fallbacks.0: "acme" is no provider; configured are scripted'],
    [
      "agents: {main: {fallbacks: ['scripted/demo', 'quick']}}",
      'agents.main.fallbacks.1: "quick" is no model; write provider/model',
    ],
    [
      "tenants: {acme: {agents: {main: {model: 'xai/grok'}}}}",
      'tenants.acme.agents.main.model: needs xai, which is not configured',
    ],
    ["agents: {main: {utilityModel: 'quick'}}", 'agents.main.utilityModel: "quick" is no model; write provider/model'],
    [
      "tenants: {acme: {agents: {main: {context: {summaryModel: 'scripted/demo'}}}}}",
      'tenants.acme.agents.main.context.summaryModel: is tenants.acme.agents.main.utilityModel now',
    ],
    ["models: {aliases: {a: 'b', b: 'a'}}", 'models.aliases.a: leads in a circle'],
    ["models: {aliases: {a: 'b'}}", 'models.aliases.a: "b" is no model'],
    ["models: {aliases: {a: 'acme/x'}}", 'models.aliases.a: "acme" is no provider'],
    [
      "agents: {main: {maxTurnCost: 1, fallbacks: ['scripted/other']}}, models: {prices: {'scripted/demo': {inputPerMillion: 1, outputPerMillion: 1}}}",
      'agents.main.maxTurnCost: needs the price of scripted/other',
    ],
    [
      "agents: {main: {maxTurnCost: 1, utilityModel: 'scripted/mini'}}, models: {prices: {'scripted/demo': {inputPerMillion: 1, outputPerMillion: 1}}}",
      'agents.main.maxTurnCost: needs the price of scripted/mini',
    ],
  ])('MO-3 {%s} is refused with its path', (text, expected) => {
    expect(complaint({ file: fileOf(`{${text}}`) })).toContain(expected);
  });
});

test('MO-4 the preset of a provider says where it takes less than its API, as long as it is spoken to by that API', () => {
  const providersOf = (options: object) =>
    loadConfig({ env: {}, file: fileOf(JSON.stringify({ models: { providers: { mistral: { apiKey: 'k', ...options } } } })) })
      .models.providers;
  expect(providersOf({}).mistral).toMatchObject({ api: 'openai-chat', quirks: { nineCharacterCallIds: true } });
  expect(providersOf({ api: 'anthropic', baseUrl: 'http://127.0.0.1:9' }).mistral).not.toHaveProperty('quirks');
});
