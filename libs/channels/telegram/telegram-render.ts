import type { OutboundMedia, OutboxRow } from '#contracts';
import { assertNever } from '#kernel';
import type { Chunk } from '../channel-port.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { telegramDescription } from './telegram-description.js';
import { telegramHtml } from './telegram-html.dialect.js';
import type { MediaItem, Payload, Words } from './telegram-payload.js';

const MAX_TEXT = telegramDescription.capabilities.maxTextLength;
/** "0-1024 characters after entities parsing". */
const MAX_CAPTION = 1024;
/** "An array describing messages to be sent, must include 2-10 items". */
const MAX_ALBUM = 10;

/** A row as requests, in order. Text that fits under a picture is its caption; else it goes ahead. */
export function renderRow(row: OutboxRow): Chunk[] {
  const { action } = row;
  if (!action) return renderNew(row);
  const { message } = action;
  switch (action.do) {
    case 'edit':
      return [renderEdit(row, message)];
    case 'delete':
      return [chunk('', { do: 'delete', message })];
    case 'react':
      return [chunk('', { do: 'react', message, emoji: action.emoji })];
    default:
      return assertNever(action);
  }
}

/** What of a row's payload stands in any place among its chunks. */
type Part = { do: 'text'; words: Words } | { do: 'media'; items: MediaItem[] };

function renderNew({ text, media = [], buttons = [] }: OutboxRow): Chunk[] {
  const texts = text === '' && media.length > 0 ? [] : wordsOf(text);
  const [first, ...others] = media;
  const captioned = first && first.caption === undefined && texts.length === 1 && (texts[0]?.text.length ?? 0) <= MAX_CAPTION;
  const shown = captioned ? [{ ...first, caption: text }, ...others] : media;
  const parts: Part[] = [
    ...(captioned ? [] : texts).map((words) => ({ do: 'text' as const, words })),
    ...mediaParts(shown, buttons.length > 0),
  ];
  return parts.map((part, index) => {
    const place = { first: index === 0, buttons: index === parts.length - 1 ? buttons : [] };
    const plain = part.do === 'text' ? part.words.text : (part.items[0]?.caption?.text ?? '');
    return chunk(plain, { ...part, ...place });
  });
}

/** Albums of what Telegram puts together; what is too long for a caption follows as text. `lastAlone`: an album has no buttons. */
function mediaParts(media: readonly OutboundMedia[], lastAlone: boolean): Part[] {
  const parts: Part[] = [];
  for (const [index, one] of media.entries()) {
    const { item, rest } = itemOf(one);
    const last = parts.at(-1);
    const alone = lastAlone && index === media.length - 1;
    if (!alone && last?.do === 'media' && last.items.length < MAX_ALBUM && last.items.every((other) => fitTogether(other, item)))
      last.items.push(item);
    else parts.push({ do: 'media', items: [item] });
    parts.push(...rest.map((words) => ({ do: 'text' as const, words })));
  }
  return parts;
}

function fitTogether(a: MediaItem, b: MediaItem): boolean {
  const group = ({ kind }: MediaItem) => (kind === 'photo' || kind === 'video' ? 'seen' : kind);
  return group(a) === group(b) && !['animation', 'voice'].includes(a.kind);
}

function itemOf({ type, url, mime, caption }: OutboundMedia): { item: MediaItem; rest: Words[] } {
  const kind = kindOf(type, mime);
  if (!caption) return { item: { kind, url }, rest: [] };
  const [words, ...rest] = wordsOf(caption, MAX_CAPTION);
  return { item: { kind, url, ...(words && { caption: words }) }, rest };
}

function kindOf(type: OutboundMedia['type'], mime = ''): MediaItem['kind'] {
  switch (type) {
    case 'image':
      return mime === 'image/gif' ? 'animation' : 'photo';
    case 'audio':
      return /^audio\/(?:ogg|opus)/.test(mime) ? 'voice' : 'audio';
    case 'video':
      return 'video';
    case 'file':
      return 'document';
  }
}

function renderEdit({ text, media = [], buttons = [] }: OutboxRow, message: string): Chunk {
  const [one, ...others] = media;
  const limit = one ? MAX_CAPTION : MAX_TEXT;
  const [words, ...rest] = wordsOf(text, limit);
  if (!words || rest.length > 0 || others.length > 0)
    return chunk('', {
      do: 'refuse',
      reason: `an edited message holds ${limit} characters and one file: send the rest as a new message`,
    });
  return chunk(words.text, { do: 'edit', message, words, buttons, ...(one && { item: itemOf(one).item }) });
}

/** Cut into messages. */
export function wordsOf(markdown: string, limit: number = MAX_TEXT): Words[] {
  return renderMarkdown(markdown, telegramHtml, limit).map(({ text, body }) => ({ text, html: body }));
}

function chunk(text: string, payload: Payload): Chunk {
  return { text, payload };
}
