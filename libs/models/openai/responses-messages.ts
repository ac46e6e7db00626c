import type {
  FunctionTool,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { ModelRequest, ToolSpec } from '#agent';
import type { ChatMessage, Thought, UserMessage } from '#contracts';
import { shortCallId } from '../wire/call-id-forms.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { mayRead, type ThoughtReader } from '../wire/thought-reader.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { toolSchema } from '../wire/schema/object-schema.js';
import { dataUrl, userParts, type UserParts } from '../wire/user-parts.js';
import { openAiParameters } from './strict-schema.js';

type Conversation = Pick<ModelRequest, 'messages' | 'imageOf'>;

/** Who says nothing of `strict` gets it. */
export function toTools(tools: readonly ToolSpec[], isOpenAi: boolean): FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    ...(isOpenAi ? openAiParameters(parameters) : { parameters: toolSchema(parameters), strict: false }),
  }));
}

export function toInput({ messages, imageOf }: Conversation, reader: ThoughtReader): ResponseInputItem[] {
  return pairedCalls(messages, shortCallId).flatMap((message) =>
    message.role === 'user' ? [{ role: 'user', content: contentOf(userParts(message, imageOf)) }] : itemsOf(message, reader),
  );
}

function contentOf({ text, images }: UserParts): string | ResponseInputContent[] {
  if (images.length === 0) return text;
  const shown = images.map((image) => ({ type: 'input_image' as const, image_url: dataUrl(image), detail: 'auto' as const }));
  return [{ type: 'input_text', text }, ...shown];
}

function itemsOf(message: Exclude<ChatMessage, UserMessage>, reader: ThoughtReader): ResponseInputItem[] {
  switch (message.role) {
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
    case 'assistant': {
      const { text, toolCalls, interrupted, reasoning = [] } = message;
      const thoughts = reasoning.filter((thought) => mayRead(reader, thought)).map(thoughtItem);
      const said = interrupted ? `${text}\n[interrupted]` : text;
      const calls = toolCalls.map(({ id, name, arguments: args }) => ({
        type: 'function_call' as const,
        call_id: id,
        name: safeToolName(name),
        arguments: JSON.stringify(argumentsObject(args)),
      }));
      return [...thoughts, ...(said === '' ? [] : [{ role: 'assistant' as const, content: said }]), ...calls];
    }
  }
}

/** What the server needs of it is encrypted. */
function thoughtItem({ id = '', signature }: Thought): ResponseReasoningItem {
  return { type: 'reasoning', id, summary: [], encrypted_content: signature };
}
