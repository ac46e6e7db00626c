import { z } from 'zod';
import type { ClientConversation } from '#contracts';
import { Problem } from '../http/problem.js';
import { MOST_MESSAGE, type MessageBody } from '../messages/message-body.schema.js';
import { contentSchema, type Content } from './content.schema.js';

const NO_TOOLS = 'is refused: tools run at the agent and none of their calls leave it. Send the text of the conversation only';
const MOST_ATTACHMENTS = 20;

/** One message of a client's conversation, in either API. */
export const saidSchema = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant'], {
      error: `is none of system, developer, user, assistant; a tool message ${NO_TOOLS}`,
    }),
    content: contentSchema.nullish().transform((content) => content ?? []),
    tool_calls: z.array(z.unknown()).max(0, NO_TOOLS).nullish(),
    function_call: z.null({ error: NO_TOOLS }).optional(),
  })
  .transform(({ role, content }): Said => ({ role, content }));

export interface Said {
  role: 'system' | 'developer' | 'user' | 'assistant';
  content: Content;
}

/** A client's conversation, taken apart. */
export interface Asked {
  /** What it asks now: all that the user said since the last answer. */
  body: MessageBody;
  /** What was said before. */
  conversation: ClientConversation;
  /** Of the system and the developer, wherever they stand. */
  instructions: string;
}

/** @param field names the list in messages. @throws Problem 400 nothing is asked, or more than a message holds */
export function askedIn(said: readonly Said[], field: string): Asked {
  const spoken = said.filter(({ role }) => role === 'user' || role === 'assistant');
  const begin = spoken.findLastIndex(({ role }) => role === 'assistant') + 1;
  const now = spoken.slice(begin).flatMap(({ content }) => content);
  const message = textOf(now);
  const attachments = now.flatMap(({ attachment }) => attachment ?? []);
  if (message === '' && attachments.length === 0) throw fault(field, 'must end with a message of the user that says something');
  if (message.length > MOST_MESSAGE) throw fault(field, `says too much at once; at most ${MOST_MESSAGE} characters`);
  if (attachments.length > MOST_ATTACHMENTS) throw fault(field, `holds too many files; at most ${MOST_ATTACHMENTS} in a message`);
  const conversation = spoken.slice(0, begin).flatMap(({ role, content }) => {
    const text = textOf(content.map(({ text, attachment }) => ({ text: attachment ? `[${attachment.type}]` : text })));
    return text === '' ? [] : [{ role: role === 'assistant' ? ('assistant' as const) : ('user' as const), text }];
  });
  const instructions = textOf(said.filter((one) => !spoken.includes(one)).flatMap(({ content }) => content));
  return { body: { message, attachments }, conversation, instructions };
}

function textOf(content: readonly { text: string }[]): string {
  return content.flatMap(({ text }) => text || []).join('\n\n');
}

function fault(path: string, message: string): Problem {
  return new Problem(400, 'invalid-input', `${path}: ${message}`, { errors: [{ path, message }] });
}
