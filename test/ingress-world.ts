import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { ChannelAccount } from '#channels';
import { ConfigSource, loadConfig } from '#config';
import { closeParts, openParts, type AppParts } from '#host';
import { createLogger, Redactor } from '#telemetry';
import { startIngress } from '../apps/ingress/index.js';
import { asRedisUser } from './harness/redis-user.js';

export const TOKEN = {
  admin: 'admin-token-of-the-ingress-tests',
  /** Tenant `default`, any session of it. */
  ann: 'ann-token-of-the-ingress-tests',
  /** Tenant `acme`. */
  eve: 'eve-token-of-the-ingress-tests',
  /** Only the session `desk`. */
  desk: 'desk-token-of-the-ingress-tests',
  /** Of the queue board. */
  viewer: 'viewer-token-of-the-ingress-tests',
  operator: 'operator-token-of-the-ingress-tests',
};

export const TELEGRAM_SECRET = 'tg-test-secret_0001';
export const GENERIC_SECRET = 'generic-test-secret-0001';

/** Of a bot whose API nobody answers. */
export const TELEGRAM_BOT = {
  botToken: '600001:secret',
  secretToken: TELEGRAM_SECRET,
  botUsername: 'example_bot',
  apiRoot: 'http://127.0.0.1:9',
};

const CONFIG = {
  http: { host: '127.0.0.1', port: 0 },
  ops: { host: '127.0.0.1', port: 0 },
  auth: {
    adminToken: TOKEN.admin,
    requestsPerMinute: 100_000,
    strangerRequestsPerMinute: 100_000,
    tokens: [
      { name: 'ann', token: TOKEN.ann },
      { name: 'eve', token: TOKEN.eve, tenant: 'acme' },
      { name: 'front', token: TOKEN.desk, session: 'desk' },
      { name: 'viewer', token: TOKEN.viewer, board: 'viewer' },
      { name: 'operator', token: TOKEN.operator, board: 'operator' },
    ],
  },
  tenants: { acme: {} },
  access: { dmPolicy: 'open', groupPolicy: 'open', requireMention: false },
  channels: {
    telegram: { accounts: { acct1: TELEGRAM_BOT, acct2: TELEGRAM_BOT } },
    webhook: { accounts: { shop: { secret: GENERIC_SECRET } } },
  },
};

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON; `{text}` for anything else. */
  body: Record<string, unknown>;
}

export interface IngressWorld {
  url: string;
  parts: AppParts;
  /** JSON in, JSON out; a `body` of text or bytes goes out as it is. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface CallOptions {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * The real ingress in this process, on a free port.
 * @param config merged over that of all tests, one level deep
 * @param accounts beyond the configured ones
 */
export async function startIngressWorld(
  redisUrl: string,
  config: Record<string, object> = {},
  accounts: readonly ChannelAccount[] = [],
): Promise<IngressWorld> {
  const file = join(mkdtempSync(join(tmpdir(), 'turnpike-ingress-')), 'turnpike.json5');
  const merged = Object.entries(config).map(([key, value]) => [key, { ...CONFIG[key as keyof typeof CONFIG], ...value }]);
  writeFileSync(file, JSON.stringify({ ...CONFIG, ...Object.fromEntries(merged) }));
  const source = new ConfigSource(() => loadConfig({ env: { TURNPIKE_CONFIG: file, REDIS_URL: asRedisUser(redisUrl) } }));
  Logger.overrideLogger(false);
  const { logger } = createLogger({ level: 'fatal', name: 'test' });
  const parts = await openParts({ source, logger, redactor: new Redactor(), reload: () => undefined }, 'ingress', accounts);
  const { url, close } = await startIngress(parts);
  return {
    url,
    parts,
    call: (method, path, options) => call(`${url}${path}`, method, options),
    async close() {
      await close();
      await closeParts(parts);
    },
  };
}

async function call(url: string, method: string, { token, body, headers = {}, signal }: CallOptions = {}): Promise<Answer> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const auth = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...json, ...auth, ...headers },
    body:
      body === undefined
        ? null
        : typeof body === 'string' || body instanceof Uint8Array
          ? new Blob([new Uint8Array(Buffer.from(body))])
          : JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
  };
}
