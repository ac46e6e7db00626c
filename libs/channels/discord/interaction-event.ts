import { ChannelType, InteractionType } from 'discord-api-types/v10';
import type { InboundEvent } from '#contracts';
import { valuesOf, type DiscordInteraction, type DiscordUser } from './interaction.schema.js';
import { snowflakeMs } from './snowflake.js';

type DiscordEvent = Omit<InboundEvent, 'channel' | 'account'>;

/** The slash command whose words are a message; every other one is a command of that name. */
export const ASK = 'ask';

/** A slash command or a pressed button; undefined: what no agent can answer. */
export function interactionEvent(interaction: DiscordInteraction): DiscordEvent | undefined {
  const { id, type, channel_id, member, user = member?.user, data, message } = interaction;
  if (!user || channel_id === undefined) return undefined;
  const said = {
    eventId: id,
    edit: 0,
    ...placeOf(interaction, channel_id),
    sender: { id: user.id, name: nameOf(user, member?.nick), isBot: user.bot ?? false },
    senderUsername: user.username,
    media: [],
    replyTo: null,
    at: snowflakeMs(id),
    startsTurn: true,
  };
  if (type === InteractionType.ApplicationCommand && data?.name !== undefined)
    return {
      ...said,
      kind: 'message',
      messageId: id,
      text: commandText(data.name, valuesOf(data.options)),
      mentionsBot: true,
      replyHandle: interaction.token,
    };
  if (type === InteractionType.MessageComponent && data?.custom_id !== undefined)
    return { ...said, kind: 'callback', messageId: message?.id ?? null, text: data.custom_id, mentionsBot: false };
  return undefined;
}

export function nameOf({ username, global_name }: DiscordUser, nick?: string | null): string {
  return nick || global_name || username;
}

/** In Discord a thread is a channel of its own: it is the conversation and the thread, and names the channel it hangs on. */
export function threadPlace(conversation: string, parent: string | undefined) {
  return parent === undefined ? { conversation, thread: null } : { conversation, thread: conversation, parent };
}

const THREADS: readonly number[] = [ChannelType.AnnouncementThread, ChannelType.PublicThread, ChannelType.PrivateThread];

function placeOf({ guild_id, channel, member }: DiscordInteraction, conversation: string) {
  const isThread = channel !== undefined && THREADS.includes(channel.type);
  const chatType: InboundEvent['chatType'] =
    guild_id !== undefined ? 'channel' : channel?.type === ChannelType.GroupDM ? 'group' : 'direct';
  return {
    chatType,
    ...threadPlace(conversation, isThread ? (channel.parent_id ?? undefined) : undefined),
    ...(guild_id !== undefined && { guild: guild_id }),
    ...(member && { roles: member.roles }),
    ...(channel?.name && { title: channel.name }),
  };
}

function commandText(name: string, values: readonly string[]): string {
  return [...(name === ASK ? [] : [`/${name}`]), ...values].join(' ');
}
