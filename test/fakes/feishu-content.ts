import { z } from 'zod';

/** What a message shows. */
export interface ShownContent {
  /** Lines of a post, or the Markdown of a card. */
  text: string;
  buttons: { text: string; value: unknown }[];
  content: Record<string, unknown>;
}

const element = z.discriminatedUnion('tag', [
  z.object({
    tag: z.literal('text'),
    text: z.string().min(1),
    style: z.array(z.enum(['bold', 'italic', 'lineThrough'])).optional(),
  }),
  z.object({
    tag: z.literal('a'),
    text: z.string().min(1),
    href: z.url({ protocol: /^https?$/ }),
    style: z.array(z.string()).optional(),
  }),
  z.object({ tag: z.literal('code_block'), text: z.string(), language: z.string().optional() }),
]);
const postSchema = z.object({ zh_cn: z.object({ content: z.array(z.array(element).min(1)).min(1) }) });
const button = z.object({
  tag: z.literal('button'),
  text: z.object({ tag: z.literal('plain_text'), content: z.string().min(1).max(100) }),
  behaviors: z.tuple([z.object({ type: z.literal('callback'), value: z.record(z.string(), z.unknown()) })]),
});
const markdown = z.object({ tag: z.literal('markdown'), content: z.string().min(1) });
const cardSchema = z.object({
  schema: z.literal('2.0'),
  config: z.object({ update_multi: z.literal(true) }),
  body: z.object({
    elements: z
      .array(z.discriminatedUnion('tag', [markdown, button]))
      .min(1)
      .max(200),
  }),
});
const keySchema = z.union([
  z.object({ image_key: z.string().startsWith('img_') }),
  z.object({ file_key: z.string().startsWith('file_') }),
]);

const textSchema = z.object({
  text: z
    .string()
    .min(1)
    .regex(/^(?![^]*<at)/),
});
const SCHEMAS: Readonly<Record<string, z.ZodType>> = { post: postSchema, interactive: cardSchema, text: textSchema };
const schemaOf = (type: string): z.ZodType => SCHEMAS[type] ?? keySchema;

/** "Cards and rich text at most 30 KB". */
const MOST_BYTES = 30 * 1024;

/** The content of a message, which comes as JSON in a string, as Feishu reads it; or why Feishu does not take it. */
export function showContent(type: string, json: string): ShownContent | { code: number; problem: string } {
  if (Buffer.byteLength(json) > MOST_BYTES)
    return { code: 230025, problem: 'The length of the message content reaches its limit.' };
  const content = z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  const read = schemaOf(type).safeParse(content);
  if (!read.success) return { code: 230001, problem: `content: ${read.error.message}` };
  if (type === 'text') return { content, text: textSchema.parse(content).text, buttons: [] };
  if (type === 'post') {
    const lines = postSchema.parse(content).zh_cn.content;
    return { content, text: lines.map((line) => line.map(({ text }) => text).join('')).join('\n'), buttons: [] };
  }
  const elements = type === 'interactive' ? cardSchema.parse(content).body.elements : [];
  return {
    content,
    text: elements.flatMap((one) => (one.tag === 'markdown' ? [one.content] : [])).join('\n'),
    buttons: elements.flatMap((one) => (one.tag === 'button' ? [{ text: one.text.content, value: one.behaviors[0].value }] : [])),
  };
}
