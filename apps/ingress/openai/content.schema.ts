import { z } from 'zod';
import { messageTextSchema, type MessageBody } from '../messages/message-body.schema.js';

type Attachment = MessageBody['attachments'][number];
/** One part of a message, whichever API it came by. */
interface Part {
  text: string;
  attachment?: Attachment;
}

/** UTF-16 units of a file that comes as a data: URL; http.bodyLimitBytes holds for all of them together. */
const MOST_INLINE = 524_288;
const MOST_LINK = 2048;
const NO_FILE_IDS = 'is refused: there is no file store here. Send a URL or a data: URL';

const linkSchema = z
  .string()
  .refine((url) => /^(https?:\/\/|data:[\w.+-]+\/[\w.+-]+[;,])/i.test(url), 'is neither an http(s) nor a data: URL')
  .refine(
    (url) => url.length <= (isInline(url) ? MOST_INLINE : MOST_LINK),
    `is too long: a link has at most ${MOST_LINK} characters, a data: URL ${MOST_INLINE}`,
  );
const noFileId = z.null({ error: NO_FILE_IDS }).optional();
const nameSchema = z.string().max(255).nullish();

const partSchema = z.discriminatedUnion(
  'type',
  [
    z
      .object({ type: z.enum(['text', 'input_text', 'output_text']), text: messageTextSchema })
      .transform(({ text }): Part => ({ text })),
    z.object({ type: z.literal('refusal'), refusal: messageTextSchema }).transform(({ refusal }): Part => ({ text: refusal })),
    z
      .object({ type: z.literal('image_url'), image_url: z.object({ url: linkSchema }) })
      .transform(({ image_url: { url } }) => attached('image', url)),
    z
      .object({ type: z.literal('input_image'), image_url: linkSchema, file_id: noFileId })
      .transform(({ image_url }) => attached('image', image_url)),
    z
      .object({ type: z.literal('file'), file: z.object({ file_data: linkSchema, filename: nameSchema, file_id: noFileId }) })
      .transform(({ file }) => attached('file', file.file_data, file.filename)),
    z
      .object({
        type: z.literal('input_file'),
        file_url: linkSchema.nullish(),
        file_data: linkSchema.nullish(),
        filename: nameSchema,
        file_id: noFileId,
      })
      .refine(({ file_url, file_data }) => file_url ?? file_data, 'needs file_url or file_data')
      .transform(({ file_url, file_data, filename }) => attached('file', file_url ?? file_data ?? '', filename)),
  ],
  { error: 'is no content an agent takes; send text, image_url or file (Responses: input_text, input_image or input_file)' },
);

/** What a message says: text, or parts of it and files. */
export const contentSchema = z.preprocess(
  (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
  z.array(partSchema),
);
export type Content = z.output<typeof contentSchema>;

function attached(type: 'image' | 'file', url: string, name?: string | null): Part {
  const mime = /^data:([\w.+/-]+)/i.exec(url)?.[1];
  return { text: '', attachment: { type, url, ...(mime !== undefined && { mime }), ...(name && { name }) } };
}

function isInline(url: string): boolean {
  return /^data:/i.test(url);
}
