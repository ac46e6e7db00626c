import { z } from 'zod';
import type { Media } from '#contracts';
import type { FeishuMention, FeishuMessage } from './event.schema.js';
import { jsonOf } from './feishu-verifier.js';

export interface Content {
  /** null: of a kind that says nothing to an agent. */
  text: string | null;
  media: Media[];
  mentionsBot: boolean;
}

const textSchema = z.object({ text: z.string() });
const imageSchema = z.object({ image_key: z.string() });
const fileSchema = z.object({ file_key: z.string(), file_name: z.string().optional() });
const placeSchema = z.object({ name: z.string(), latitude: z.string(), longitude: z.string() });

/** Of a rich text, one element of one line. */
const elementSchema = z.object({
  tag: z.string(),
  text: z.string().optional(),
  href: z.string().optional(),
  /** Of an `at`: the key of the mention. */
  user_id: z.string().optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  language: z.string().optional(),
});
const postSchema = z.object({ title: z.string().default(''), content: z.array(z.array(elementSchema)) });

/** https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content */
export function contentOf(message: FeishuMessage, botOpenId: string | undefined): Content {
  const mentions = new Map(message.mentions.map((mention) => [mention.key, { mention, isBot: isBot(mention, botOpenId) }]));
  const named = (text: string): string =>
    text.replace(/@_user_\d+/g, (key) => {
      const found = mentions.get(key);
      return found ? (found.isBot ? '' : `@${found.mention.name}`) : key;
    });
  const { text, media } = readContent(message, named);
  return { text: text === null ? null : text.trim(), media, mentionsBot: [...mentions.values()].some((found) => found.isBot) };
}

/** Without its open_id configured, whatever is mentioned and is no person: apps hear of such messages only by default. */
function isBot({ id, mentioned_type: type }: FeishuMention, botOpenId: string | undefined): boolean {
  return botOpenId === undefined ? type !== 'user' : id.open_id === botOpenId;
}

function readContent(message: FeishuMessage, named: (text: string) => string): Pick<Content, 'text' | 'media'> {
  const content = jsonOf(message.content);
  switch (message.message_type) {
    case 'text': {
      const read = textSchema.safeParse(content).data;
      return { text: read ? named(read.text) : null, media: [] };
    }
    case 'post':
      return readPost(message.message_id, content, named);
    case 'image': {
      const read = imageSchema.safeParse(content).data;
      return read ? { text: '', media: [mediaOf('image', message.message_id, read.image_key)] } : NOTHING;
    }
    case 'file':
    case 'audio':
    case 'media': {
      const read = fileSchema.safeParse(content).data;
      const type = FILE_TYPES[message.message_type];
      return read ? { text: '', media: [mediaOf(type, message.message_id, read.file_key, read.file_name)] } : NOTHING;
    }
    case 'location': {
      const read = placeSchema.safeParse(content).data;
      return read ? { text: `${read.name}\n${read.latitude}, ${read.longitude}`, media: [] } : NOTHING;
    }
    default:
      return NOTHING;
  }
}

const NOTHING = { text: null, media: [] };
const FILE_TYPES = { file: 'file', audio: 'audio', media: 'video' } as const;

function readPost(messageId: string, content: unknown, named: (text: string) => string): Pick<Content, 'text' | 'media'> {
  const post = postSchema.safeParse(content).data;
  if (!post) return NOTHING;
  const elements = post.content.flat();
  const images = elements.flatMap(({ image_key: key, file_key: film }) => (key !== undefined && film === undefined ? [key] : []));
  const films = elements.flatMap(({ file_key: key }) => (key === undefined ? [] : [key]));
  const lines = post.content.map((line) => line.map((element) => named(wordsOf(element))).join(''));
  return {
    text: [post.title, ...lines].filter((line, index) => index > 0 || line !== '').join('\n'),
    media: [...images.map((key) => mediaOf('image', messageId, key)), ...films.map((key) => mediaOf('video', messageId, key))],
  };
}

function wordsOf({ tag, text = '', href, user_id: mentioned, language = '' }: z.infer<typeof elementSchema>): string {
  if (tag === 'at') return mentioned ?? '';
  if (tag === 'code_block') return `\`\`\`${language.toLowerCase()}\n${text}\n\`\`\``;
  if (tag === 'a' && href !== undefined) return `[${text}](${href})`;
  return tag === 'hr' ? '---' : text;
}

/** A resource is fetched by its message and key; only an image is asked for as one. */
function mediaOf(type: Media['type'], messageId: string, key: string, name?: string): Media {
  return { type, ref: `${messageId}/${key}`, ...(name !== undefined && { name }) };
}
