import type { Message, Tool } from 'ollama';
import type { ModelRequest, ToolSpec } from '#agent';
import type { ChatMessage } from '#contracts';
import { pairedCalls } from '../wire/paired-calls.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { toolSchema } from '../wire/schema/object-schema.js';

export function toMessages({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): Message[] {
  return [...(system ? [{ role: 'system', content: system }] : []), ...pairedCalls(messages).map(toMessage)];
}

export function toTools(tools: readonly ToolSpec[]): Tool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...toolSchema(parameters), type: 'object' } },
  }));
}

/** The wire has no ids of calls: results are told apart by their order and their tool. */
function toMessage(message: ChatMessage): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'tool':
      return { role: 'tool', content: message.text, tool_name: safeToolName(message.name) };
    case 'assistant': {
      const { text, toolCalls, interrupted } = message;
      const content = interrupted ? `${text}\n[interrupted]` : text;
      const calls = toolCalls.map(({ name, arguments: args }) => ({
        function: { name: safeToolName(name), arguments: argumentsObject(args) },
      }));
      return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
    }
  }
}
