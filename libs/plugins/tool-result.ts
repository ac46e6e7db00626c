import { z } from 'zod';
import type { ToolResult } from '#agent';

const contentSchema = z.looseObject({
  content: z.array(
    z.union([
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
    ]),
  ),
  isError: z.boolean().default(false),
});

/** What a plugin's tool gave back, as the model reads it: text as it is, content by its parts, anything else as JSON. */
export function toolResultOf(value: unknown): ToolResult {
  if (typeof value === 'string') return { text: value, isError: false };
  const { data } = contentSchema.safeParse(value);
  if (!data) return { text: JSON.stringify(value) ?? 'done', isError: false };
  const parts = data.content.map((part) =>
    part.type === 'text' ? part.text : `[image ${part.mimeType}, ${Math.ceil((part.data.length * 3) / 4)} bytes]`,
  );
  return { text: parts.join('\n'), isError: data.isError };
}
