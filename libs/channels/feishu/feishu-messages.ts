import { z } from 'zod';
import { outboundMediaSchema, type Button, type OutboxRow } from '#contracts';
import type { Chunk } from '../channel-port.js';
import type { Dialect, RenderedChunk } from '../markdown/dialect.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { valueOf } from './card-button.js';
import { cardDialect } from './card-dialect.js';
import { postDialect, postOf } from './post-dialect.js';

/** "Cards and rich text at most 30 KB", of the content as JSON. Some is left for what Feishu adds. */
const MAX_CONTENT = 28_000;
/** Bytes of text in one message, as far as its JSON allows. */
export const MAX_TEXT = 24_000;
/** 200 elements make a card; nobody reads so many. */
export const MOST_BUTTONS = 20;
/** "The text of a button: at most 100 characters". */
const BUTTON_TEXT = 100;

const contentSchema = z.object({ type: z.enum(['post', 'interactive']), content: z.record(z.string(), z.unknown()) });
export type MessageContent = z.infer<typeof contentSchema>;

/** What a chunk does, whole without its row. */
export const payloadSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('send'), first: z.boolean(), message: contentSchema }),
  z.object({ do: z.literal('sendFile'), first: z.boolean(), file: outboundMediaSchema.extend({ url: z.url() }) }),
  /** `other`: what it becomes if it turns out to be a message of the other kind. */
  z.object({ do: z.literal('edit'), id: z.string(), message: contentSchema, other: contentSchema }),
  z.object({ do: z.literal('delete'), id: z.string() }),
  z.object({ do: z.literal('react'), id: z.string(), emoji: z.string().nullable() }),
  z.object({ do: z.literal('refuse'), reason: z.string() }),
]);
export type FeishuPayload = z.infer<typeof payloadSchema>;

export function chunksOf(row: OutboxRow): Chunk[] {
  const { action } = row;
  switch (action?.do) {
    case 'delete':
      return [{ text: '', payload: { do: 'delete', id: action.message } }];
    case 'react':
      return [{ text: '', payload: { do: 'react', id: action.message, emoji: action.emoji } }];
    case 'edit':
      return [editOf(row, action.message)];
    case undefined:
      return sendsOf(row);
  }
}

function sendsOf(row: OutboxRow): Chunk[] {
  const { text, target, media = [], buttons = [] } = row;
  const hasText = text.trim() !== '' || buttons.length > 0 || media.length === 0;
  // Only a card has buttons.
  const texts = hasText ? (buttons.length > 0 ? cardsOf(text, buttons, target) : postsOf(text)) : [];
  const files = media.flatMap((file) => {
    const caption = file.caption?.trim() ? postsOf(file.caption) : [];
    return [{ text: '', payload: { do: 'sendFile', file } }, ...caption.map(sendOf)];
  });
  const all = buttons.length > 0 ? [...files, ...texts.map(sendOf)] : [...texts.map(sendOf), ...files];
  return all.map(({ text: plain, payload }, index) => ({ text: plain, payload: { ...payload, first: index === 0 } }));
}

interface Message {
  text: string;
  message: MessageContent;
}

const sendOf = ({ text, message }: Message): Chunk => ({ text, payload: { do: 'send', message } });

function postsOf(markdown: string): Message[] {
  return fitting(markdown, postDialect, ({ text, body }) => ({
    text,
    message: { type: 'post', content: { zh_cn: { content: postOf(body) } } },
  }));
}

function cardsOf(markdown: string, buttons: readonly Button[], target: OutboxRow['target']): Message[] {
  const pressed = buttons.slice(0, MOST_BUTTONS).map((button) => ({
    tag: 'button',
    text: { tag: 'plain_text', content: button.text.slice(0, BUTTON_TEXT).toWellFormed() },
    behaviors: [{ type: 'callback', value: valueOf(button, target) }],
  }));
  return fitting(markdown, cardDialect, ({ text, body }, isLast) => {
    const elements = [{ tag: 'markdown', content: body }, ...(isLast ? pressed : [])];
    // Without update_multi a card cannot be changed for everybody who sees it.
    return {
      text,
      message: { type: 'interactive', content: { schema: '2.0', config: { update_multi: true }, body: { elements } } },
    };
  });
}

/** Cut finer until the JSON of each message fits: many short lines or styles weigh more than their text. */
function fitting(markdown: string, dialect: Dialect, write: (chunk: RenderedChunk, isLast: boolean) => Message): Message[] {
  for (let limit = MAX_TEXT; ; limit = Math.floor(limit / 2)) {
    const chunks = renderMarkdown(markdown, dialect, limit);
    const messages = chunks.map((chunk, index) => write(chunk, index === chunks.length - 1));
    const fits = messages.every(({ message }) => Buffer.byteLength(JSON.stringify(message.content)) <= MAX_CONTENT);
    if (fits || limit < 100) return messages;
  }
}

/** One message takes the place of one: what is longer than that is not cut, but refused. */
function editOf(row: OutboxRow, id: string): Chunk {
  const { buttons = [], target, text } = row;
  const [post, more] = postsOf(text);
  const [card] = cardsOf(text, buttons, target);
  if (!post || !card || more)
    return {
      text,
      payload: { do: 'refuse', reason: 'the new text is too long for one message: send the rest as a new message' },
    };
  const [message, other] = buttons.length > 0 ? [card.message, post.message] : [post.message, card.message];
  return { text: post.text, payload: { do: 'edit', id, message, other } };
}
