import { z } from 'zod';
import { accountOptions, platformUrl, streamingOption } from './account-options.js';

export const discordAccountSchema = z.strictObject({
  applicationId: z
    .string()
    .regex(/^\d{1,20}$/)
    .describe('The "Application ID", digits in quotes'),
  /** Required: without it anybody could post interactions (IN-1). No secret: Discord shows it to anybody who asks. */
  publicKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .describe('The "Public Key" of the application, 64 hex digits'),
  botToken: z
    .string()
    .regex(/^[\w.-]+$/)
    .meta({ secret: true, description: 'The "Token" of its bot' }),
  apiRoot: platformUrl.default('https://discord.com/api/v10').describe('Another address of the REST API'),
  ...streamingOption,
  ...accountOptions,
});
