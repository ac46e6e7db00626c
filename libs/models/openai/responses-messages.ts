import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
import type { ToolSpec } from '#agent';
import type { ChatMessage } from '#contracts';
import { shortCallId } from '../wire/call-id-forms.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { objectSchema } from '../wire/tool-schema.js';

/** Not strict: strict schemas are a dialect in which every property is required. */
export function toTools(tools: readonly ToolSpec[]): FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters: objectSchema(parameters),
    strict: false,
  }));
}

export function toInput(messages: readonly ChatMessage[]): ResponseInputItem[] {
  return pairedCalls(messages, shortCallId).flatMap(itemsOf);
}

function itemsOf(message: ChatMessage): ResponseInputItem[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
    case 'assistant': {
      const { text, toolCalls, interrupted } = message;
      const said = interrupted ? `${text}\n[interrupted]` : text;
      const calls = toolCalls.map(({ id, name, arguments: args }) => ({
        type: 'function_call' as const,
        call_id: id,
        name: safeToolName(name),
        arguments: JSON.stringify(argumentsObject(args)),
      }));
      return said === '' ? calls : [{ role: 'assistant', content: said }, ...calls];
    }
  }
}
