import type { OutboundMedia, OutboxRow } from '#contracts';
import type { Chunk } from '../channel-port.js';
import type { RenderedChunk } from '../markdown/dialect.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { interactive } from './interactive.js';
import { whatsappDialect } from './whatsapp-dialect.js';

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
export const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;

/** One platform message: what it says, and the Graph API's message without its recipient. */
interface Part {
  text: string;
  message: Record<string, unknown>;
}

/** What a row becomes, in order; the first one quotes. An edit or a deletion is one that the send will refuse. */
export function messagesOf(row: OutboxRow): Chunk[] {
  const { action, target } = row;
  if (action?.do === 'react') {
    const reaction = { message_id: action.message, emoji: action.emoji ?? '' };
    return [{ text: '', payload: { first: true, message: { type: 'reaction', reaction } } }];
  }
  if (action)
    return [{ text: row.text, payload: { refused: `WhatsApp cannot ${action.do} messages: send a new message that says it` } }];
  return partsOf(row).map(({ text, message }, index) => {
    const first = index === 0;
    const quote = first && target.replyTo !== undefined && { context: { message_id: target.replyTo } };
    return { text, payload: { first, message: { ...message, ...quote } } };
  });
}

/** A short text stands under the first file, a longer one before the files; a question with choices comes last. */
function partsOf({ text, media = [], buttons = [] }: OutboxRow): Part[] {
  const [first, ...others] = media;
  if (!first) return textsOf(text, buttons);
  if (buttons.length > 0) return [...media.flatMap(fileOf), ...textsOf(text, buttons)];
  if (text.trim() === '') return media.flatMap(fileOf);
  if (first.caption === undefined && first.type !== 'audio' && renderMarkdown(text, whatsappDialect, MAX_CAPTION).length === 1)
    return [...fileOf({ ...first, caption: text }), ...others.flatMap(fileOf)];
  return [...textsOf(text, []), ...media.flatMap(fileOf)];
}

function textsOf(markdown: string, buttons: NonNullable<OutboxRow['buttons']>): Part[] {
  const texts = renderMarkdown(markdown, whatsappDialect, MAX_TEXT);
  return texts.map((chunk, index) =>
    buttons.length > 0 && index === texts.length - 1
      ? { text: chunk.text, message: interactive(chunk.body, buttons) }
      : textOf(chunk),
  );
}

function textOf({ text, body }: RenderedChunk): Part {
  return { text, message: { type: 'text', text: { body, preview_url: true } } };
}

const GRAPH_TYPES = { image: 'image', audio: 'audio', video: 'video', file: 'document' } as const;

/** By its link, which WhatsApp fetches. What a caption cannot hold, or a voice cannot have, follows as text. */
function fileOf({ type, url, name, caption = '' }: OutboundMedia): Part[] {
  const captions = caption.trim() === '' ? [] : renderMarkdown(caption, whatsappDialect, MAX_CAPTION);
  const under = type === 'audio' ? undefined : captions[0];
  const after = under ? captions.slice(1) : captions;
  const graphType = GRAPH_TYPES[type];
  const named = type === 'file' && name !== undefined;
  const file = { link: url, ...(under && { caption: under.body }), ...(named && { filename: name }) };
  return [{ text: under?.text ?? '', message: { type: graphType, [graphType]: file } }, ...after.map(textOf)];
}
