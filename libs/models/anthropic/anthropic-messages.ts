import type { ContentBlockParam, MessageParam, TextBlockParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest, ToolSpec } from '#agent';
import type { ChatMessage, Thought } from '#contracts';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { objectSchema } from '../wire/tool-schema.js';

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
    input_schema: { ...objectSchema(parameters), type: 'object' },
    ...(index === tools.length - 1 && CACHED),
  }));
}

/** Whose thoughts may go along: nobody else can read them. */
interface Reader {
  provider: string;
  model: string;
}

/** Whether the tool loop that goes on, if any, began with a thought that this reader knows. */
export function keepsThoughts(messages: readonly ChatMessage[], reader: Reader): boolean {
  const first = messages
    .slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    .find(({ role }) => role === 'assistant');
  return first?.role !== 'assistant' || (first.reasoning ?? []).some((thought) => isOf(reader, thought));
}

/**
 * Results of tools are the user's, and two messages of one role are one. What came before the newest question is marked: it
 * is the same for all requests of its turn, and the next turn begins with it.
 */
export function toMessages(messages: readonly ChatMessage[], reader: Reader): MessageParam[] {
  const merged: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  const settled = messages.findLastIndex(({ role }, i) => role !== 'user' && messages[i + 1]?.role === 'user');
  for (const [i, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = i === settled ? marked(blocksOf(message, reader)) : blocksOf(message, reader);
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

function isOf({ provider, model }: Reader, thought: Thought): boolean {
  return thought.provider === provider && thought.model === model;
}

function thoughtBlock({ text, signature, redacted }: Thought): ContentBlockParam {
  return redacted ? { type: 'redacted_thinking', data: signature } : { type: 'thinking', thinking: text, signature };
}

function blocksOf(message: ChatMessage, reader: Reader): ContentBlockParam[] {
  switch (message.role) {
    case 'user':
      return [textBlock(message.text)];
    case 'tool': {
      const { callId, text, isError } = message;
      return [{ type: 'tool_result', tool_use_id: callId, content: text.trim() === '' ? NOTHING : text, is_error: isError }];
    }
    case 'assistant': {
      const { text, toolCalls, interrupted, reasoning = [] } = message;
      const thoughts = reasoning.filter((thought) => isOf(reader, thought)).map(thoughtBlock);
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
