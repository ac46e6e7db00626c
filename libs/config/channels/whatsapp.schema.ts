import { z } from 'zod';
import { secret } from '../option-types.js';
import { accountOptions, platformUrl } from './account-options.js';

const templateSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9_]{1,512}$/)
    .describe('Of an approved template'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/)
    .default('en_US')
    .describe('As approved'),
  withText: z.boolean().default(false).describe('Its body has one variable, {{1}}, which takes the begin of the message'),
});

export const whatsappAccountSchema = z.strictObject({
  phoneNumberId: z.string().regex(/^\d+$/).describe('The id of the business number, not the number'),
  accessToken: secret(20, 'Of a system user with the permission whatsapp_business_messaging'),
  /** Required: without it anybody could post messages (IN-1). */
  appSecret: secret(16, 'The app secret, with which Meta signs what it posts'),
  verifyToken: secret(16, 'Make one (`openssl rand -hex 16`) and type the same in beside the callback URL'),
  apiRoot: platformUrl.default('https://graph.facebook.com').describe('Another Graph API server'),
  apiVersion: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .default('v23.0')
    .describe('Version of the Graph API'),
  template: templateSchema.optional().describe('What goes out to whoever has not written for 24 hours; without it nothing does'),
  ...accountOptions,
});
