import { z } from 'zod';

/** The part of the Bot API's Update that is read. Whatever else an update carries is ignored (IN-2). */

const userSchema = z.object({
  id: z.number(),
  is_bot: z.boolean(),
  first_name: z.string(),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const chatSchema = z.object({
  id: z.number(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
  username: z.string().optional(),
  /** A supergroup with topics. */
  is_forum: z.boolean().optional(),
});

/** Offsets and lengths count UTF-16 units, as JavaScript strings do. */
const entitySchema = z.object({
  type: z.string(),
  offset: z.number(),
  length: z.number(),
  user: z.object({ id: z.number() }).optional(),
});

const fileSchema = z.object({
  file_id: z.string(),
  file_size: z.number().optional(),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
});

const placeSchema = z.object({
  message_id: z.number(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  chat: chatSchema,
});

const quotedSchema = z.object({
  message_id: z.number(),
  from: userSchema.optional(),
  sender_chat: chatSchema.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
});

const messageSchema = placeSchema.extend({
  from: userSchema.optional(),
  sender_chat: chatSchema.optional(),
  date: z.number(),
  edit_date: z.number().optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entitySchema).optional(),
  caption_entities: z.array(entitySchema).optional(),
  media_group_id: z.string().optional(),
  reply_to_message: quotedSchema.optional(),
  /** The part of it that the sender marked. */
  quote: z.object({ text: z.string() }).optional(),
  /** The same picture in several sizes. */
  photo: z.array(fileSchema.extend({ width: z.number(), height: z.number() })).optional(),
  voice: fileSchema.optional(),
  audio: fileSchema.optional(),
  video: fileSchema.optional(),
  video_note: fileSchema.optional(),
  animation: fileSchema.optional(),
  sticker: fileSchema.optional(),
  document: fileSchema.optional(),
});

const callbackQuerySchema = z.object({
  id: z.string(),
  from: userSchema,
  /** Absent for a button of an inline-mode message, which belongs to no chat the bot knows. */
  message: placeSchema.optional(),
  data: z.string().optional(),
});

const chatMemberSchema = z.object({ chat: chatSchema, from: userSchema, date: z.number() });

/** "The user, if the user isn't anonymous", else the chat in whose name it was done. */
const reactionSchema = z.object({
  chat: chatSchema,
  message_id: z.number(),
  user: userSchema.optional(),
  actor_chat: chatSchema.optional(),
  date: z.number(),
  new_reaction: z.array(z.object({ type: z.string(), emoji: z.string().optional() })),
});

export const updateSchema = z.object({
  update_id: z.number(),
  message: messageSchema.optional(),
  edited_message: messageSchema.optional(),
  channel_post: messageSchema.optional(),
  edited_channel_post: messageSchema.optional(),
  callback_query: callbackQuerySchema.optional(),
  message_reaction: reactionSchema.optional(),
  my_chat_member: chatMemberSchema.optional(),
});

export type TelegramChat = z.infer<typeof chatSchema>;
export type TelegramUser = z.infer<typeof userSchema>;
export type TelegramMessage = z.infer<typeof messageSchema>;
export type TelegramPlace = z.infer<typeof placeSchema>;
export type TelegramReaction = z.infer<typeof reactionSchema>;
export type TelegramUpdate = z.infer<typeof updateSchema>;
