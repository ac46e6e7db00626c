import { GatewayDispatchEvents, MessageType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { InboundEvent, Media } from '#contracts';
import { nameOf, threadPlace } from './interaction-event.js';
import { snowflake, userSchema } from './interaction.schema.js';

const attachmentSchema = z.object({
  id: snowflake,
  filename: z.string(),
  size: z.number(),
  content_type: z.string().nullish(),
});

const quotedSchema = z.object({ id: snowflake, content: z.string(), author: userSchema });

const messageSchema = z.object({
  id: snowflake,
  type: z.number(),
  channel_id: snowflake,
  guild_id: snowflake.optional(),
  author: userSchema,
  webhook_id: snowflake.optional(),
  member: z.object({ nick: z.string().nullish(), roles: z.array(snowflake).default([]) }).optional(),
  content: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  edited_timestamp: z.iso.datetime({ offset: true }).nullish(),
  mentions: z.array(z.object({ id: snowflake })).default([]),
  attachments: z.array(attachmentSchema).default([]),
  message_reference: z.object({ message_id: snowflake.optional() }).optional(),
  referenced_message: quotedSchema.nullish(),
});
type DiscordMessage = z.infer<typeof messageSchema>;

const dispatchSchema = z.object({ op: z.literal(0), t: z.string(), d: z.unknown() });

/** What only the connection knows. */
export interface GatewayPlace {
  channel: string;
  account: string;
  /** User id of the bot. */
  bot: string;
  /** Thread -> the channel it hangs on: a message does not say that its channel is one. */
  threads: ReadonlyMap<string, string>;
}

/** Joins, pins and the like are types of their own. */
const SPOKEN: readonly number[] = [MessageType.Default, MessageType.Reply];

/**
 * A dispatch of the gateway as an event: MESSAGE_CREATE, and MESSAGE_UPDATE where the words changed. undefined for every other.
 * After a RESUME the same message comes again, with its id. Throws ZodError for what is no dispatch.
 */
export function gatewayEvent(dispatch: unknown, place: GatewayPlace): InboundEvent | undefined {
  const { t, d } = dispatchSchema.parse(dispatch);
  const isEdit = t === GatewayDispatchEvents.MessageUpdate;
  if (!isEdit && t !== GatewayDispatchEvents.MessageCreate) return undefined;
  const message = messageSchema.parse(d);
  if (!SPOKEN.includes(message.type) || (message.content === '' && message.attachments.length === 0)) return undefined;
  // An update without an edit is Discord's own: a link got its preview.
  if (isEdit && !message.edited_timestamp) return undefined;
  return { ...contentOf(message, place), ...versionOf(message, isEdit) };
}

function versionOf({ timestamp, edited_timestamp }: DiscordMessage, isEdit: boolean) {
  const at = Date.parse((isEdit && edited_timestamp) || timestamp);
  return isEdit
    ? { kind: 'edit' as const, edit: at, at, startsTurn: false }
    : { kind: 'message' as const, edit: 0, at, startsTurn: true };
}

function contentOf(message: DiscordMessage, { channel, account, bot, threads }: GatewayPlace) {
  const { id, channel_id, guild_id, author, member, webhook_id, content, mentions, attachments } = message;
  return {
    channel,
    account,
    eventId: id,
    messageId: id,
    chatType: guild_id === undefined ? ('direct' as const) : ('channel' as const),
    ...threadPlace(channel_id, threads.get(channel_id)),
    ...(guild_id !== undefined && { guild: guild_id }),
    ...(member && { roles: member.roles }),
    sender: { id: author.id, name: nameOf(author, member?.nick), isBot: (author.bot ?? false) || webhook_id !== undefined },
    senderUsername: author.username,
    fromSelf: author.id === bot,
    text: content.replace(new RegExp(`^\\s*<@!?${bot}>[\\s,:]*`), ''),
    media: attachments.map(mediaOf),
    mentionsBot: mentions.some((user) => user.id === bot) || message.referenced_message?.author.id === bot,
    ...quoteOf(message),
  };
}

function quoteOf({ message_reference, referenced_message: quoted }: DiscordMessage) {
  const replyTo = message_reference?.message_id ?? null;
  return quoted ? { replyTo, quoted: { sender: nameOf(quoted.author), text: quoted.content } } : { replyTo };
}

function mediaOf({ id, filename, size, content_type }: z.infer<typeof attachmentSchema>): Media {
  const [kind] = (content_type ?? '').split('/');
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
  return { type, ref: id, name: filename, size, ...(content_type && { mime: content_type }) };
}
