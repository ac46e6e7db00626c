import { z } from 'zod';
import { accountOptions, platformUrl, streamingOption } from './account-options.js';

export const telegramAccountSchema = z.strictObject({
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
  apiRoot: platformUrl.default('https://api.telegram.org').describe('Another Bot API server'),
  botUsername: z.string().regex(/^\w+$/).optional().describe('Without @; tells a mention of this bot from others'),
  ...streamingOption,
  ...accountOptions,
});
