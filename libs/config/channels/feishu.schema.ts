import { z } from 'zod';
import { secret } from '../option-types.js';
import { accountOptions, platformUrl } from './account-options.js';

export const feishuAccountSchema = z.strictObject({
  appId: z.string().regex(/^\w+$/).describe('App ID: Credentials & Basic Info of the app'),
  appSecret: secret(8, 'App Secret of the same page'),
  /** Required: without it anybody could post events (IN-1). */
  verificationToken: secret(8, 'Verification Token: Events & Callbacks, Encryption Strategy'),
  encryptKey: secret(8, 'Encrypt Key of the same page: events come encrypted and signed. Recommended').optional(),
  botOpenId: z
    .string()
    .regex(/^ou_\w+$/)
    .optional()
    .describe('open_id of the bot; tells a mention of it from others'),
  apiRoot: platformUrl.default('https://open.feishu.cn').describe('For Lark: https://open.larksuite.com'),
  ...accountOptions,
});
