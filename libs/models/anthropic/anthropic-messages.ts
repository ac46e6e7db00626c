import type { ContentBlockParam, MessageParam, TextBlockParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest, ToolSpec } from '#agent';
import type { ChatMessage, Thought, UserMessage } from '#contracts';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { mayRead, type ThoughtReader } from '../wire/thought-reader.js';
import { userParts, type UserParts } from '../wire/user-parts.js';
import { anthropicSchema } from './anthropic-schema.js';

type Conversation = Pick<ModelRequest, 'messages' | 'imageOf'>;

/** Everything up to a marker is read from the provider's cache when the next request begins with the same bytes (MO-5). */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;
/** The wire refuses empty text. */
const NOTHING = '(empty)';

export function toSystem({ system }: ModelRequest): TextBlockParam[] | undefined {
  return system ? [{ type: 'text', text: system, ...CACHED }] : undefined;
}

/** The marker on the last one covers all. */
export function toTools(tools: readonly ToolSpec[]): Tool[] {
  return tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: { ...anthropicSchema(parameters), type: 'object' },
    ...(index === tools.length - 1 && CACHED),
  }));
}

/**
 * Results of tools are the user's, and two messages of one role are one. The end is marked, so that the next step finds all of this
 * request in the cache; and so is what came before the newest question, because a step that adds more than the 20 blocks that the
 * wire looks back would find nothing else. With tools and system prompt these are the four markers a request may have.
 */
export function toMessages({ messages, imageOf }: Conversation, reader: ThoughtReader): MessageParam[] {
  const merged: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  const settled = messages.findLastIndex(({ role }, i) => role !== 'user' && messages[i + 1]?.role === 'user');
  for (const [i, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const isMarked = i === settled || i === messages.length - 1;
    const said = message.role === 'user' ? userBlocks(userParts(message, imageOf)) : blocksOf(message, reader);
    const blocks = isMarked ? marked(said) : said;
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else merged.push({ role, content: blocks });
  }
  return merged;
}

/** The last block of a message is never a thought, which cannot be marked. */
function marked(blocks: readonly ContentBlockParam[]): ContentBlockParam[] {
  return blocks.map((block, i) => (i === blocks.length - 1 ? { ...block, ...CACHED } : block));
}

function thoughtBlock({ text, signature, redacted }: Thought): ContentBlockParam {
  return redacted ? { type: 'redacted_thinking', data: signature } : { type: 'thinking', thinking: text, signature };
}

function userBlocks({ text, images }: UserParts): ContentBlockParam[] {
  const shown = images.map(({ mime, base64 }) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mime, data: base64 },
  }));
  return [textBlock(text), ...shown];
}

function blocksOf(message: Exclude<ChatMessage, UserMessage>, reader: ThoughtReader): ContentBlockParam[] {
  switch (message.role) {
    case 'tool': {
      const { callId, text, isError } = message;
      return [{ type: 'tool_result', tool_use_id: callId, content: text.trim() === '' ? NOTHING : text, is_error: isError }];
    }
    case 'assistant': {
      const { text, toolCalls, interrupted, reasoning = [] } = message;
      const thoughts = reasoning.filter((thought) => mayRead(reader, thought)).map(thoughtBlock);
      const said = interrupted ? `${text}\n[interrupted]` : text;
      const calls = toolCalls.map(({ id, name, arguments: args }) => ({
        type: 'tool_use' as const,
        id,
        name: safeToolName(name),
        input: argumentsObject(args),
      }));
      return said.trim() === '' && calls.length > 0 ? [...thoughts, ...calls] : [...thoughts, textBlock(said), ...calls];
    }
  }
}

function textBlock(text: string): TextBlockParam {
  return { type: 'text', text: text.trim() === '' ? NOTHING : text.trimEnd() };
}
