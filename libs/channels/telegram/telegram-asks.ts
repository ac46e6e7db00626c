import type { Button, Target } from '#contracts';
import { assertNever } from '#kernel';
import type { Ask, Params } from './telegram-api.js';
import type { MediaItem, Payload, Words } from './telegram-payload.js';

/** Messages of a forum's General topic arrive without a thread id, and sends are refused with one. */
export const GENERAL_TOPIC = '1';

/** How a request is worded. What Telegram refuses to take one way goes the other, which is proven unsent so far. */
export interface Manner {
  chat: string;
  formatted: boolean;
  quoting: boolean;
  /** Of an edit: the message is a picture, its text a caption. */
  caption: boolean;
}

/** The request that a payload stands for. */
export function askOf(payload: Exclude<Payload, { do: 'refuse' }>, target: Target, manner: Manner): Ask {
  const at = { chat_id: manner.chat };
  switch (payload.do) {
    case 'text':
      return {
        method: 'sendMessage',
        params: { ...placeOf(target, payload.first, manner), ...keyboard(payload.buttons), ...textOf(payload.words, manner) },
      };
    case 'media':
      return mediaAsk(payload, placeOf(target, payload.first, manner), manner);
    case 'edit':
      return editAsk(payload, { ...at, message_id: Number(payload.message) }, manner);
    case 'delete':
      return { method: 'deleteMessage', params: { ...at, message_id: Number(payload.message) } };
    case 'react':
      return {
        method: 'setMessageReaction',
        params: { ...at, message_id: Number(payload.message), ...reactionOf(payload.emoji) },
      };
    default:
      return assertNever(payload);
  }
}

type Place = Pick<Params<'sendMessage'>, 'chat_id' | 'message_thread_id' | 'reply_parameters'>;

/** Only the first chunk quotes: a long answer is one reply. */
function placeOf({ thread, replyTo }: Target, first: boolean, { chat, quoting }: Manner): Place {
  return {
    chat_id: chat,
    ...(thread !== undefined && thread !== GENERAL_TOPIC && { message_thread_id: Number(thread) }),
    ...(first &&
      quoting &&
      replyTo !== undefined && { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
  };
}

function textOf({ html, text }: Words, { formatted }: Manner): Pick<Params<'sendMessage'>, 'text' | 'parse_mode'> {
  return formatted ? { text: html, parse_mode: 'HTML' } : { text };
}

function captionOf(words: Words | undefined, { formatted }: Manner): Pick<Params<'sendPhoto'>, 'caption' | 'parse_mode'> {
  if (!words) return {};
  return formatted ? { caption: words.html, parse_mode: 'HTML' } : { caption: words.text };
}

/** One below the other: choices may be long. */
function keyboard(buttons: readonly Button[]): {
  reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] };
} {
  if (buttons.length === 0) return {};
  return { reply_markup: { inline_keyboard: buttons.map(({ text, data }) => [{ text, callback_data: data }]) } };
}

function mediaAsk({ items, buttons }: Extract<Payload, { do: 'media' }>, place: Place, manner: Manner): Ask {
  const [first, ...others] = items;
  if (!first || others.length > 0)
    return { method: 'sendMediaGroup', params: { ...place, media: items.map((item) => inputOf(item, manner)) } };
  const common = { ...place, ...keyboard(buttons), ...captionOf(first.caption, manner) };
  switch (first.kind) {
    case 'photo':
      return { method: 'sendPhoto', params: { ...common, photo: first.url } };
    case 'video':
      return { method: 'sendVideo', params: { ...common, video: first.url } };
    case 'animation':
      return { method: 'sendAnimation', params: { ...common, animation: first.url } };
    case 'audio':
      return { method: 'sendAudio', params: { ...common, audio: first.url } };
    case 'voice':
      return { method: 'sendVoice', params: { ...common, voice: first.url } };
    case 'document':
      return { method: 'sendDocument', params: { ...common, document: first.url } };
  }
}

/** Part of an album, or what takes the place of a message's file. A voice note can't, and is shown as a sound. */
function inputOf({ kind, url: media, caption }: MediaItem, manner: Manner) {
  return { type: kind === 'voice' ? ('audio' as const) : kind, media, ...captionOf(caption, manner) };
}

function editAsk(
  { words, item, buttons }: Extract<Payload, { do: 'edit' }>,
  message: { chat_id: string; message_id: number },
  manner: Manner,
): Ask {
  const params = { ...message, ...keyboard(buttons) };
  if (item) return { method: 'editMessageMedia', params: { ...params, media: inputOf({ ...item, caption: words }, manner) } };
  return manner.caption
    ? { method: 'editMessageCaption', params: { ...params, ...captionOf(words, manner) } }
    : { method: 'editMessageText', params: { ...params, ...textOf(words, manner) } };
}

/** Telegram knows its emoji without the sign that asks for the coloured form. */
function reactionOf(emoji: string | null): Pick<Params<'setMessageReaction'>, 'reaction'> {
  if (emoji === null) return { reaction: [] };
  return { reaction: [{ type: 'emoji', emoji: emoji.replaceAll('\ufe0f', '') }] };
}
