import type { Content, Part, Tool } from '@google/genai';
import type { ModelRequest, SeenImage, ToolSpec } from '#agent';
import type { ChatMessage, ToolMessage, UserMessage } from '#contracts';
import { pairedCalls } from '../wire/paired-calls.js';
import { argumentsObject, safeToolName } from '../wire/tool-call-text.js';
import { userParts, type UserParts } from '../wire/user-parts.js';
import { googleSchema } from './google-schema.js';

/** Google's word for a call that one of its thinking models did not make itself: the signature of its thoughts is not asked for. */
const NO_SIGNATURE = 'skip_thought_signature_validator';
/** Of images; it refuses others. */
const KINDS: readonly SeenImage['mime'][] = ['image/jpeg', 'image/png', 'image/webp'];
/** The wire refuses empty parts. */
const NOTHING = '(empty)';

/** `parametersJsonSchema` takes JSON Schema as it is; the older `parameters` takes a dialect of its own. */
export function toTools(tools: readonly ToolSpec[]): Tool[] {
  const functionDeclarations = tools.map(({ name, description, parameters }) => {
    const parametersJsonSchema = googleSchema(parameters);
    return { name, description, ...(parametersJsonSchema && { parametersJsonSchema }) };
  });
  return [{ functionDeclarations }];
}

/** Results of tools are the user's, all of one answer in one message and nothing else in it. */
export function toContents({ messages, imageOf }: Pick<ModelRequest, 'messages' | 'imageOf'>, provider: string): Content[] {
  const merged: { role: 'user' | 'model'; isResults: boolean; parts: Part[] }[] = [];
  for (const message of pairedCalls(messages)) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const isResults = message.role === 'tool';
    const last = merged.at(-1);
    const parts = message.role === 'user' ? shown(userParts(message, imageOf, KINDS)) : partsOf(message, provider);
    if (last?.role === role && last.isResults === isResults) last.parts.push(...parts);
    else merged.push({ role, isResults, parts });
  }
  return merged.map(({ role, parts }) => ({ role, parts }));
}

function shown({ text, images }: UserParts): Part[] {
  return [textPart(text), ...images.map(({ mime, base64 }) => ({ inlineData: { mimeType: mime, data: base64 } }))];
}

function partsOf(message: Exclude<ChatMessage, UserMessage>, provider: string): Part[] {
  switch (message.role) {
    case 'tool':
      return [{ functionResponse: { name: safeToolName(message.name), response: responseOf(message) } }];
    case 'assistant': {
      const { text, toolCalls, interrupted } = message;
      const said = interrupted ? `${text}\n[interrupted]` : text;
      // Of calls side by side Google signs the first one only.
      const isOwn = toolCalls.some(({ signature }) => signature?.provider === provider);
      const calls = toolCalls.map(({ name, arguments: args, signature }) => {
        const own = signature?.provider === provider ? signature.text : undefined;
        const thoughtSignature = isOwn ? own : NO_SIGNATURE;
        return {
          functionCall: { name: safeToolName(name), args: argumentsObject(args) },
          ...(thoughtSignature !== undefined && { thoughtSignature }),
        };
      });
      return said.trim() === '' && calls.length > 0 ? calls : [textPart(said), ...calls];
    }
  }
}

function responseOf({ text, isError }: ToolMessage): Record<string, string> {
  return isError ? { error: text } : { output: text };
}

function textPart(text: string): Part {
  return { text: text.trim() === '' ? NOTHING : text };
}
