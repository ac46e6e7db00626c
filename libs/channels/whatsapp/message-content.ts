import type { InboundEvent, Media } from '#contracts';
import type { WhatsAppMessage } from './notification.schema.js';

type Content = Pick<InboundEvent, 'kind' | 'messageId' | 'text' | 'media' | 'replyTo' | 'startsTurn'>;

/** What a message says. A kind that is unknown, or that nobody answers, starts no turn. */
export function contentOf(message: WhatsAppMessage): Content {
  const { id: messageId, reaction } = message;
  const replyTo = message.context?.id ?? null;
  const pressed = pressedBy(message);
  if (pressed !== undefined) return { kind: 'callback', messageId, text: pressed, media: [], replyTo, startsTurn: true };
  if (reaction) {
    // To what it is, without an emoji when it was taken back.
    const { message_id: about, emoji = '' } = reaction;
    return { kind: 'reaction', messageId: about, text: emoji, media: [], replyTo: null, startsTurn: false };
  }
  const file = fileOf(message);
  const text = message.text?.body ?? file?.caption ?? placeOf(message) ?? null;
  const media = file ? [file.media] : [];
  return {
    kind: 'message',
    messageId,
    text: text ?? (file ? '' : null),
    media,
    replyTo,
    startsTurn: text !== null || media.length > 0,
  };
}

function pressedBy({ interactive, button }: WhatsAppMessage): string | undefined {
  return interactive?.button_reply?.id ?? interactive?.list_reply?.id ?? button?.payload;
}

function fileOf(message: WhatsAppMessage): { media: Media; caption: string | undefined } | undefined {
  const { image, sticker, audio, video, document } = message;
  const kinds = [
    ['image', image ?? sticker],
    ['audio', audio],
    ['video', video],
    ['file', document],
  ] as const;
  for (const [type, file] of kinds) {
    if (!file) continue;
    const { id: ref, mime_type: mime, filename: name, caption } = file;
    return { media: { type, ref, ...(mime !== undefined && { mime }), ...(name !== undefined && { name }) }, caption };
  }
  return undefined;
}

function placeOf({ location }: WhatsAppMessage): string | undefined {
  if (!location) return undefined;
  const { latitude, longitude, name, address } = location;
  return [name, address, `${latitude}, ${longitude}`].filter(Boolean).join('\n');
}
