import type { FunctionTool, ResponseInputItem, ResponseReasoningItem } from 'openai/resources/responses/responses';
import type { ToolSpec } from '#agent';
import type { ChatMessage, Thought } from '#contracts';
import { shortCallId } from '../wire/call-id-forms.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { mayRead, type ThoughtReader } from '../wire/thought-reader.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { toolSchema } from '../wire/schema/object-schema.js';
import { openAiParameters } from './strict-schema.js';

/** Who says nothing of `strict` gets it. */
export function toTools(tools: readonly ToolSpec[], isOpenAi: boolean): FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    ...(isOpenAi ? openAiParameters(parameters) : { parameters: toolSchema(parameters), strict: false }),
  }));
}

export function toInput(messages: readonly ChatMessage[], reader: ThoughtReader): ResponseInputItem[] {
  return pairedCalls(messages, shortCallId).flatMap((message) => itemsOf(message, reader));
}

function itemsOf(message: ChatMessage, reader: ThoughtReader): ResponseInputItem[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
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
