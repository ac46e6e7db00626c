import { z } from 'zod';
import { accountAccessSchema } from './access.schema.js';
import { nameSchema, secret } from './option-types.js';

const agent = nameSchema.optional().describe('The agent that answers what no binding matches; default: defaultAgent');
const access = accountAccessSchema.optional();
const url = z.url({ protocol: /^https?$/ });

const telegramAccountSchema = z.strictObject({
  botToken: z
    .string()
    .regex(/^\d+:[\w-]+$/)
    .meta({ secret: true, description: 'The token @BotFather gave you' }),
  /** Required: without it anybody could post updates (IN-1). */
  secretToken: z
    .string()
    .regex(/^[\w-]{16,256}$/)
    .meta({
      secret: true,
      description:
        '16 to 256 of A-Z a-z 0-9 _ -, which Telegram sends back with each update. Make one (`openssl rand -hex 32`) ' +
        'and give the same to setWebhook as secret_token',
    }),
  apiRoot: url.default('https://api.telegram.org').describe('Another Bot API server'),
  botUsername: z.string().regex(/^\w+$/).optional().describe('Without @; tells a mention of this bot from others'),
  agent,
  access,
});

const webhookAccountSchema = z.strictObject({
  secret: secret(16, 'Signs requests in both directions, at least 16 characters'),
  outboundUrl: url.optional().describe('Where replies are posted; without it they wait in the session'),
  immediateSend: z.boolean().default(true).describe('The receiver takes messages before the turn ends'),
  batch: z.boolean().default(false).describe('The messages of one turn may be merged into one'),
  dedupe: z.boolean().default(true).describe('The receiver drops a message whose Idempotency-Key it has seen'),
  maxTextLength: z.int().min(100).max(1_000_000).default(20_000).describe('UTF-16 units of one message'),
  agent,
  access,
});

export const channelsSchema = z.strictObject({
  telegram: z.strictObject({ access, accounts: z.record(nameSchema, telegramAccountSchema).prefault({}) }).prefault({}),
  webhook: z.strictObject({ access, accounts: z.record(nameSchema, webhookAccountSchema).prefault({}) }).prefault({}),
  webchat: z.strictObject({ agent }).prefault({}),
});
export type TelegramAccountConfig = z.output<typeof telegramAccountSchema>;
export type WebhookAccountConfig = z.output<typeof webhookAccountSchema>;
