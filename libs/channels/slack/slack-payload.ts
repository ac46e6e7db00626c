import { z } from 'zod';
import { buttonSchema, outboundMediaSchema, type OutboundMedia, type OutboxRow } from '#contracts';
import type { Chunk } from '../channel-port.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { slackDescription } from './slack-description.js';
import { slackMrkdwn } from './slack-mrkdwn.dialect.js';

const words = { mrkdwn: z.string(), plain: z.string(), buttons: z.array(buttonSchema).default([]) };

/** One call, as it was rendered. */
export const slackPayloadSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('post'), ...words }),
  /** `more`: chunks of the new text that have no place in one message. */
  z.object({ do: z.literal('edit'), message: z.string(), ...words, more: z.number() }),
  z.object({ do: z.literal('upload'), media: outboundMediaSchema.extend({ url: z.string() }), comment: z.string().optional() }),
  z.object({ do: z.literal('delete'), message: z.string() }),
  z.object({ do: z.literal('react'), message: z.string(), emoji: z.string().nullable() }),
]);
export type SlackPayload = z.infer<typeof slackPayloadSchema>;

/** Text first, the buttons below its end, then a message for each file: one that fails does not take the others along. */
export function renderForSlack(row: OutboxRow): Chunk[] {
  const { action, text, media = [] } = row;
  switch (action?.do) {
    case 'delete':
    case 'react':
      return [chunk('', action)];
    case 'edit':
      return [edited(row, action.message)];
    case undefined:
      return [...(text.trim() === '' && media.length > 0 ? [] : posts(row)), ...media.flatMap(uploads)];
  }
}

function chunk(text: string, payload: SlackPayload): Chunk {
  return { text, payload };
}

/** Cut into messages. */
export function rendered(markdown: string) {
  return renderMarkdown(markdown, slackMrkdwn, slackDescription.capabilities.maxTextLength);
}

function posts({ text, buttons = [] }: OutboxRow): Chunk[] {
  const parts = rendered(text);
  return parts.map(({ text: plain, body: mrkdwn }, index) =>
    chunk(plain, { do: 'post', mrkdwn, plain, buttons: index === parts.length - 1 ? buttons : [] }),
  );
}

function edited({ text, buttons = [] }: OutboxRow, message: string): Chunk {
  const [{ text: plain, body: mrkdwn } = { text: '', body: '' }, ...more] = rendered(text);
  return chunk(plain, { do: 'edit', message, mrkdwn, plain, buttons, more: more.length });
}

function uploads(media: OutboundMedia): Chunk[] {
  const [comment, ...more] = media.caption === undefined ? [] : rendered(media.caption);
  const upload = chunk(comment?.text ?? '', { do: 'upload', media, ...(comment && { comment: comment.body }) });
  return [upload, ...more.map(({ text, body }) => chunk(text, { do: 'post', mrkdwn: body, plain: text, buttons: [] }))];
}
