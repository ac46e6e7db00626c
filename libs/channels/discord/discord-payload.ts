import { z } from 'zod';
import { buttonSchema, outboundMediaSchema, type OutboundMedia, type OutboxRow } from '#contracts';
import type { Chunk } from '../channel-port.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { discordDescription } from './discord-description.js';
import { discordMarkdown } from './discord-markdown.dialect.js';

const words = { content: z.string(), buttons: z.array(buttonSchema).default([]) };
/** Judged where it is fetched. */
const fileSchema = outboundMediaSchema.extend({ url: z.string() });

/** One call, as it was rendered. */
export const discordPayloadSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('post'), ...words, first: z.boolean(), file: fileSchema.optional() }),
  /** `more`: chunks of the new text that have no place in one message. */
  z.object({ do: z.literal('edit'), message: z.string(), ...words, more: z.number() }),
  z.object({ do: z.literal('delete'), message: z.string() }),
  z.object({ do: z.literal('react'), message: z.string(), emoji: z.string().nullable() }),
]);
export type DiscordPayload = z.infer<typeof discordPayloadSchema>;
type Post = Extract<DiscordPayload, { do: 'post' }>;

/** Text first, the buttons below its end, then a message for each file. Only the first one answers somebody. */
export function renderForDiscord(row: OutboxRow): Chunk[] {
  const { action, text, media = [] } = row;
  switch (action?.do) {
    case 'delete':
    case 'react':
      return [{ text: '', payload: action }];
    case 'edit':
      return [edited(row, action.message)];
    case undefined: {
      const parts = [...(text.trim() === '' && media.length > 0 ? [] : posts(row)), ...media.flatMap(files)];
      return parts.map(({ text: plain, payload }, index) => ({ text: plain, payload: { ...payload, first: index === 0 } }));
    }
  }
}

interface PostChunk {
  text: string;
  payload: Omit<Post, 'first'>;
}

/** Cut into messages. */
export function rendered(markdown: string) {
  return renderMarkdown(markdown, discordMarkdown, discordDescription.capabilities.maxTextLength);
}

function posts({ text, buttons = [] }: OutboxRow): PostChunk[] {
  const parts = rendered(text);
  return parts.map(({ text: plain, body: content }, index) => ({
    text: plain,
    payload: { do: 'post', content, buttons: index === parts.length - 1 ? buttons : [] },
  }));
}

function files(file: OutboundMedia): PostChunk[] {
  const [caption, ...more] = file.caption === undefined ? [] : rendered(file.caption);
  return [
    { text: caption?.text ?? '', payload: { do: 'post', content: caption?.body ?? '', buttons: [], file } },
    ...more.map(({ text, body }) => ({ text, payload: { do: 'post' as const, content: body, buttons: [] } })),
  ];
}

function edited({ text, buttons = [] }: OutboxRow, message: string): Chunk {
  const [{ text: plain, body: content } = { text: '', body: '' }, ...more] = rendered(text);
  const payload: DiscordPayload = { do: 'edit', message, content, buttons, more: more.length };
  return { text: plain, payload };
}
