import { z } from 'zod';
import { secret } from '../option-types.js';
import { accountOptions, platformUrl, streamingOption } from './account-options.js';

export const slackAccountSchema = z.strictObject({
  botToken: z
    .string()
    .regex(/^xox[a-z]-[\w-]+$/)
    .meta({ secret: true, description: 'The "Bot User OAuth Token" of the app, which begins with xoxb-' }),
  /** Required: without it anybody could post events (IN-1). */
  signingSecret: secret(16, 'The "Signing Secret" on the "Basic Information" page of the app'),
  replyInThread: z
    .boolean()
    .default(false)
    .describe('A message in a channel begins a thread, and is answered in it; else it is answered in the channel'),
  apiRoot: platformUrl.default('https://slack.com/api').describe('Another address of the Web API'),
  ...streamingOption,
  ...accountOptions,
});
