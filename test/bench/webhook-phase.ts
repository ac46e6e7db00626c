import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keyspace, type RedisClient } from '#redis';
import { BenchChild, type ChildOptions } from './bench-child.js';
import { percentiles, type Percentiles } from './percentiles.js';
import { carryOut } from './send-order.js';
import { WEBHOOK_ROWS, type WebhookRow } from './webhook-posts.js';

/** From the first byte of a webhook to its 2xx, at one ingress. */
export interface WebhookFigures {
  channel: string;
  ms: Percentiles;
  most: WebhookRow['most'];
}

export const WEBHOOKS_PER_SECOND = 300;
const SECONDS = 5;
const WARM_UP = 300;

/** One ingress process and nobody who works: each channel in turn posts new messages of new senders at an even rate. */
export async function measureWebhooks(redis: RedisClient, options: ChildOptions): Promise<WebhookFigures[]> {
  await redis.flushall();
  const ingress = await BenchChild.start(new URL('./ingress.process.js', import.meta.url), {
    ...options,
    configFile: configFile(),
  });
  try {
    const url = await ingress.ask('url', null);
    const figures: WebhookFigures[] = [];
    for (const row of WEBHOOK_ROWS) figures.push(await measured(redis, url, row));
    return figures;
  } finally {
    await ingress.stop();
    await redis.flushall();
  }
}

async function measured(redis: RedisClient, url: string, { channel, post, most }: WebhookRow): Promise<WebhookFigures> {
  const before = await sessions(redis);
  const times: number[] = [];
  const items = Array.from({ length: WARM_UP + SECONDS * WEBHOOKS_PER_SECOND }, (_, index) => ({ n: index + 1, session: index }));
  const deliver = async ({ n }: { n: number }): Promise<void> => {
    const { body, headers } = post(n);
    const began = performance.now();
    const response = await fetch(`${url}/webhooks/${channel}/bench`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    if (n > WARM_UP) times.push(performance.now() - began);
    if (!response.ok) throw new Error(`A webhook of ${channel} was answered ${response.status}`);
  };
  await carryOut({ items, inFlight: items.length, perSecond: WEBHOOKS_PER_SECOND }, deliver);
  const stored = (await sessions(redis)) - before;
  if (stored !== items.length) throw new Error(`Of ${items.length} webhooks of ${channel} ${stored} began a session`);
  return { channel, ms: percentiles(times), most };
}

/** Sessions with mail; of the new senders each begins one. */
async function sessions(redis: RedisClient): Promise<number> {
  const keyspace = new Keyspace(1);
  const counts = await Promise.all(keyspace.buckets.map((bucket) => redis.zcard(keyspace.busy('turns', bucket))));
  return counts.reduce((sum, count) => sum + count, 0);
}

function configFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'turnpike-bench-')), 'turnpike.json5');
  const channels = Object.fromEntries(WEBHOOK_ROWS.map(({ section, account }) => [section, { accounts: { bench: account } }]));
  const access = { dmPolicy: 'open', groupPolicy: 'open', requireMention: false };
  writeFileSync(file, JSON.stringify({ access, channels }));
  return file;
}
