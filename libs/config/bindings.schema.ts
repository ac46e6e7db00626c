import { z } from 'zod';
import { nameSchema } from './option-types.js';
import { dmScope, groupScope } from './session.schema.js';

/** An id as the platform writes it. Quoted in the file, also where it is a number. */
const platformId = z.string().min(1).max(512);

const peerSchema = z.strictObject({
  kind: z.enum(['direct', 'group', 'channel']).describe('The kind of chat'),
  id: platformId.describe('The chat, or in a direct chat the person; "*" = each of this kind'),
  thread: platformId.optional().describe('One thread or topic of that chat'),
});

const matchSchema = z.strictObject({
  channel: z.string().min(1).max(32).describe('telegram, generic (webhooks) or webchat (API and web chat)'),
  account: z.string().min(1).max(32).optional().describe('One account of the channel; default, and "*": every account'),
  peer: peerSchema.optional(),
  guild: platformId.optional().describe('Server or workspace'),
  roles: z.array(platformId).min(1).optional().describe('The sender has one of these roles in the guild'),
  team: platformId.optional().describe('Team of the workspace'),
});

/** Which agent owns which chats (RT-1). All fields that are given must match. */
export const bindingsSchema = z
  .array(
    z.strictObject({
      agent: nameSchema.describe('The agent that answers'),
      match: matchSchema,
      session: z
        .strictObject({ dmScope: dmScope.optional(), groupScope: groupScope.optional() })
        .optional()
        .describe("Instead of the tenant's session scopes"),
    }),
  )
  .default([]);
export type BindingConfig = z.output<typeof bindingsSchema>[number];
