import { z } from 'zod';
import { ms, nameSchema, ONE_DAY_MS } from './option-types.js';
import { sessionQueueSchema } from './session-queue.schema.js';
import { sessionResetSections } from './session-reset.schema.js';

/** What the direct chats of an agent share (RT-2). */
export const dmScope = z
  .enum(['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer'])
  .describe('Which direct chats of an agent are one session');

export const groupScope = z.enum(['per-group', 'main']).describe('Whether a group has a session of its own');

export const sessionSchema = z.strictObject({
  queue: sessionQueueSchema.prefault({}),
  dmScope: dmScope.default('per-account-channel-peer'),
  groupScope: groupScope.default('per-group'),
  ...sessionResetSections,
  archiveTtlMs: ms(0, 3650 * ONE_DAY_MS)
    .default(30 * ONE_DAY_MS)
    .describe('How long what was said before /new is kept, ms'),
  /** person -> `<channel>:<id>` */
  identityLinks: z
    .record(
      nameSchema,
      z.array(
        z
          .string()
          .max(545)
          .regex(/^[a-z0-9-]+:.+$/su)
          .describe('<channel>:<id>'),
      ),
    )
    .default({})
    .describe('Ids on different channels that are one person'),
});
