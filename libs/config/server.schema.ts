import { z } from 'zod';
import { ms, ONE_DAY_MS, port } from './option-types.js';
import { parseRedisUrl } from './redis-address.js';

/** The public side: API, webhooks, web chat. */
export const httpSchema = z.strictObject({
  host: z.string().min(1).optional().describe('Address to listen on; default 0.0.0.0, or 127.0.0.1 in standalone'),
  port: port.default(3000).describe('0 takes a free one'),
  bodyLimitBytes: z
    .int()
    .min(1024)
    .max(104_857_600)
    .default(1_048_576)
    .describe('Largest request body, bytes; larger ones get 413'),
  proxies: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('Proxies in front that append to X-Forwarded-For; 0 = the address of the connection counts'),
  webhookTimeoutMs: ms(100, 30_000).default(2000).describe('A webhook that is not stored by then gets 503, ms'),
});

/** Health, readiness and metrics: a port of their own, never to be published. */
export const opsSchema = z.strictObject({
  host: z.string().min(1).optional().describe('Address to listen on; default 0.0.0.0, or 127.0.0.1 in standalone'),
  port: port.default(3001).describe('0 takes a free one'),
});

export const redisSchema = z.strictObject({
  url: z
    .string()
    .superRefine(isRedisUrl)
    .default('redis://127.0.0.1:6379')
    .describe(
      'redis://[user:password@]host:port[/db], redis-cluster://[user:password@]host:port,host:port, or ' +
        'redis-sentinel://[user:password@]host:port,host:port/master; rediss instead of redis for TLS',
    ),
  buckets: z.int().min(1).max(1024).default(1).describe('Slots the keys are spread over; fixed at the first start of a Redis'),
  durability: z
    .enum(['local', 'replicated'])
    .default('local')
    .describe(
      'When a message counts as accepted: stored in Redis, or on one of its replicas too, so that it survives a failover',
    ),
  replicaTimeoutMs: ms(10, 10_000)
    .default(250)
    .describe('At durability replicated: without a confirmation by then the sender gets 503 and may try again, ms'),
  shedAtMemoryRatio: z.number().min(0.1).max(1).default(0.85).describe('The ingress answers 503 above this share of maxmemory'),
  commandTimeoutMs: ms(100, 60_000)
    .default(1200)
    .describe('A command of the ingress without an answer fails after this time, ms'),
});

function isRedisUrl(url: string, context: z.RefinementCtx): void {
  try {
    parseRedisUrl(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
}

export const shutdownSchema = z.strictObject({
  graceMs: ms(0, ONE_DAY_MS)
    .default(25_000)
    .describe('Running work may finish or be handed back for this long after SIGTERM, ms'),
  forceMs: ms(0, 600_000).default(5000).describe('Then this long to close connections, ms; then the process ends'),
});

export const logSchema = z.strictObject({
  level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Live: changes without a restart'),
  content: z.boolean().default(false).describe('Write message texts into log lines'),
});
export type LogLevel = z.output<typeof logSchema>['level'];
