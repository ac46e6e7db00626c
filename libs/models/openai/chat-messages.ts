import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import type { ModelRequest, ToolSpec } from '#agent';
import type { AssistantMessage, ChatMessage, ToolCall } from '#contracts';
import { inTurns } from '../wire/in-turns.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { toolSchema } from '../wire/schema/object-schema.js';
import { dataUrl, userParts, type UserParts } from '../wire/user-parts.js';
import { openAiParameters } from './strict-schema.js';

export function toMessages(request: ModelRequest, callIdForm?: (id: string) => string): ChatCompletionMessageParam[] {
  const system: ChatCompletionMessageParam[] = request.system ? [{ role: 'system', content: request.system }] : [];
  return [...system, ...inTurns(pairedCalls(request.messages, callIdForm)).map((message) => toMessage(message, request.imageOf))];
}

/** Compatible servers know no `strict`. */
export function toTools(tools: readonly ToolSpec[], isOpenAi: boolean): ChatCompletionTool[] {
  return tools.map(({ name, description, parameters }) => {
    const { strict, ...strictly } = isOpenAi
      ? openAiParameters(parameters)
      : { strict: false, parameters: toolSchema(parameters) };
    return { type: 'function', function: { name, description, ...strictly, ...(strict && { strict }) } };
  });
}

function toMessage(message: ChatMessage, imageOf: ModelRequest['imageOf']): ChatCompletionMessageParam {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: contentOf(userParts(message, imageOf)) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant':
      return toAssistant(message);
  }
}

function contentOf({ text, images }: UserParts): string | ChatCompletionContentPart[] {
  if (images.length === 0) return text;
  const shown = images.map((image) => ({ type: 'image_url' as const, image_url: { url: dataUrl(image) } }));
  return [{ type: 'text', text }, ...shown];
}

function toAssistant({ text, toolCalls, interrupted }: AssistantMessage): ChatCompletionMessageParam {
  const content = interrupted ? `${text}\n[interrupted]` : text;
  if (toolCalls.length === 0) return { role: 'assistant', content };
  return { role: 'assistant', content: content || null, tool_calls: toolCalls.map(toCall) };
}

function toCall({ id, name, arguments: args }: ToolCall) {
  return {
    id,
    type: 'function' as const,
    function: { name: safeToolName(name), arguments: JSON.stringify(argumentsObject(args)) },
  };
}
