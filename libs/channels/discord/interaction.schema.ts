import { z } from 'zod';

/** The part of an interaction that is read. Whatever else it carries is ignored (IN-2). */

export const snowflake = z.string().regex(/^\d{1,20}$/);

export const userSchema = z.object({
  id: snowflake,
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

/** Of a slash command; groups and subcommands hold options of their own. */
const optionSchema = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  get options() {
    return z.array(optionSchema).optional();
  },
});

export const interactionSchema = z.object({
  id: snowflake,
  application_id: snowflake,
  type: z.number(),
  /** For 15 minutes it may answer this interaction, and nothing else. */
  token: z.string(),
  guild_id: snowflake.optional(),
  channel_id: snowflake.optional(),
  channel: z.object({ type: z.number(), name: z.string().nullish(), parent_id: snowflake.nullish() }).optional(),
  member: z.object({ user: userSchema, nick: z.string().nullish(), roles: z.array(snowflake).default([]) }).optional(),
  /** In a direct chat, instead of `member`. */
  user: userSchema.optional(),
  message: z.object({ id: snowflake }).optional(),
  data: z
    .object({
      name: z.string().optional(),
      options: z.array(optionSchema).optional(),
      custom_id: z.string().optional(),
    })
    .optional(),
});

export type DiscordUser = z.infer<typeof userSchema>;
export type DiscordInteraction = z.infer<typeof interactionSchema>;
type CommandOption = z.infer<typeof optionSchema>;

/** What somebody typed into a slash command, in the order of its options. */
export function valuesOf(options: readonly CommandOption[] = []): string[] {
  return options.flatMap(({ value, options: inner }) => [...(value === undefined ? [] : [String(value)]), ...valuesOf(inner)]);
}
