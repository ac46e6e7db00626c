import type { Message, Tool } from 'ollama';
import type { ModelRequest, SeenImage, ToolSpec } from '#agent';
import type { ChatMessage } from '#contracts';
import { inTurns } from '../wire/in-turns.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { toolSchema } from '../wire/schema/object-schema.js';
import { userParts } from '../wire/user-parts.js';

/** What its models were taught to decode, all of them. */
const KINDS: readonly SeenImage['mime'][] = ['image/jpeg', 'image/png'];

export function toMessages({ system, messages, imageOf }: Pick<ModelRequest, 'system' | 'messages' | 'imageOf'>): Message[] {
  const said = inTurns(pairedCalls(messages)).map((message) => toMessage(message, imageOf));
  return [...(system ? [{ role: 'system', content: system }] : []), ...said];
}

export function toTools(tools: readonly ToolSpec[]): Tool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...toolSchema(parameters), type: 'object' } },
  }));
}

/** The wire has no ids of calls: results are told apart by their order and their tool. */
function toMessage(message: ChatMessage, imageOf: ModelRequest['imageOf']): Message {
  switch (message.role) {
    case 'user': {
      const { text, images } = userParts(message, imageOf, KINDS);
      return { role: 'user', content: text, ...(images.length > 0 && { images: images.map(({ base64 }) => base64) }) };
    }
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
