import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolResult } from '#agent';

/** What the model reads of a result. It reads text alone, so of other things it is told what they are. */
export function resultText({ content, structuredContent, isError = false }: CallToolResult, maxChars: number): ToolResult {
  const parts = content.map(describeBlock).filter(Boolean);
  // Servers repeat it as text for clients that know no better (2025-11-25, structured content).
  if (structuredContent !== undefined && !content.some(({ type }) => type === 'text'))
    parts.push(JSON.stringify(structuredContent));
  return {
    text: cut(
      parts.join('\n\n') || (isError ? 'The tool failed and says no more.' : 'Done. The tool returned nothing.'),
      maxChars,
    ),
    isError,
  };
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${bytesOf(block.data)} bytes; it is not shown to you]`;
    case 'resource_link':
      return `[resource ${block.uri}: ${[block.title ?? block.name, block.description, block.mimeType].filter(Boolean).join(', ')}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}: ${resource.mimeType ?? 'binary'}, ${bytesOf(resource.blob)} bytes; it is not shown to you]`;
    }
    default:
      return '[content of a kind that is not known here]';
  }
}

/** Of base64. */
function bytesOf(data: string): number {
  return Buffer.byteLength(data, 'base64');
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)}\n\n[cut here: the whole result has ${text.length} characters; ask the tool for less]`;
}
