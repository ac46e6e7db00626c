import { z } from 'zod';

/** The part of Slack's requests that is read. Whatever else they carry is ignored (IN-2). */

const fileSchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().optional(),
  /** `tombstone`: deleted since. */
  mode: z.string().optional(),
});

const messageSchema = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  app_id: z.string().optional(),
  bot_profile: z.object({ app_id: z.string().optional() }).optional(),
  /** Of a bot. */
  username: z.string().nullish(),
  user_profile: z.object({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
  text: z.string().default(''),
  thread_ts: z.string().optional(),
  /** Who wrote the message that the thread hangs on. */
  parent_user_id: z.string().optional(),
  files: z.array(fileSchema).default([]),
  edited: z.object({ ts: z.string() }).optional(),
});

/** `app_mention`, and `message` with the subtypes that people and bots speak by. */
export const saidSchema = messageSchema.extend({ channel: z.string(), channel_type: z.string().optional() });

export const changedSchema = z.object({
  channel: z.string(),
  channel_type: z.string().optional(),
  message: messageSchema,
  previous_message: z.object({ text: z.string().optional() }).optional(),
});

/** What every request of the Events API has in common. */
export const requestSchema = z.object({
  type: z.string(),
  challenge: z.string().optional(),
  team_id: z.string().optional(),
  api_app_id: z.string().optional(),
  /** For whom it was sent: with bot scopes, the bot. */
  authorizations: z.array(z.object({ user_id: z.string(), is_bot: z.boolean() })).nullish(),
  event: z.looseObject({ type: z.string(), subtype: z.string().optional() }).optional(),
});

/** A pressed button, `payload` of a form. https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const interactionSchema = z.object({
  type: z.string(),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ id: z.string(), username: z.string().optional() }),
  /** Absent where the button is in no channel (a home tab). */
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ message_ts: z.string().optional(), thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(z.object({ type: z.string(), action_id: z.string(), value: z.string().optional(), action_ts: z.string() }))
    .default([]),
});

/** A slash command, a form. https://docs.slack.dev/interactivity/implementing-slash-commands */
export const slashCommandSchema = z.object({
  command: z.string(),
  text: z.string().default(''),
  team_id: z.string().optional(),
  user_id: z.string(),
  user_name: z.string().optional(),
  channel_id: z.string(),
  trigger_id: z.string(),
});

export type SlackSaid = z.infer<typeof saidSchema>;
export type SlackMessage = z.infer<typeof messageSchema>;
export type SlackChanged = z.infer<typeof changedSchema>;
export type SlackRequest = z.infer<typeof requestSchema>;
export type SlackInteraction = z.infer<typeof interactionSchema>;
export type SlackSlashCommand = z.infer<typeof slashCommandSchema>;
