import type { InboundEvent } from '#contracts';
import type { SlackInteraction, SlackSlashCommand } from './event.schema.js';
import { chatTypeOf, ms } from './message-event.js';

type SlackEvent = Omit<InboundEvent, 'channel' | 'account'>;

/** Marks the buttons of this product among those of others: what they send is their value alone. */
export const OWN_ACTION = 'turnpike:';

const bare = { edit: 0, media: [], replyTo: null, startsTurn: true } satisfies Partial<SlackEvent>;

/** One event for each button; Slack sends one at a time. */
export function pressedEvents({ type, team, user, channel, container, actions }: SlackInteraction): SlackEvent[] {
  if (type !== 'block_actions' || !channel) return [];
  const pressed = actions.filter((action) => action.type === 'button');
  return pressed.map(({ action_id, value, action_ts }) => ({
    ...bare,
    kind: 'callback',
    eventId: action_ts,
    conversation: channel.id,
    chatType: chatTypeOf({ channel: channel.id }),
    thread: container?.thread_ts ?? null,
    messageId: container?.message_ts ?? null,
    ...(container?.thread_ts !== undefined && { parent: channel.id }),
    sender: { id: user.id, name: null, isBot: false },
    ...(user.username !== undefined && { senderUsername: user.username }),
    text: action_id.startsWith(OWN_ACTION) ? (value ?? '') : [action_id, value].filter(Boolean).join(':'),
    mentionsBot: false,
    at: ms(action_ts),
    ...(team && { team: team.id }),
  }));
}

/** `/turnpike what is new` says "what is new": the name of the command is whatever the app was given. */
export function slashEvent(command: SlackSlashCommand): SlackEvent {
  const { text, team_id, user_id, user_name, channel_id, trigger_id } = command;
  return {
    ...bare,
    kind: 'message',
    eventId: trigger_id,
    conversation: channel_id,
    chatType: chatTypeOf({ channel: channel_id }),
    thread: null,
    messageId: null,
    sender: { id: user_id, name: null, isBot: false },
    ...(user_name !== undefined && { senderUsername: user_name }),
    text,
    mentionsBot: true,
    at: null,
    ...(team_id !== undefined && { team: team_id }),
  };
}
