import type { ModelServerRequest } from './model-server.js';

/** What stands before a message whose id the agent may use. */
const MESSAGE_NAME = /^\[message [^\]]+\]\n/;

/**
 * What a person said last, and how many answers the model has given since. The wire makes one message of several that follow each
 * other, a blank line between them: none that a test sends has one inside.
 */
export function lastSaid({ messages }: ModelServerRequest): { text: string; step: number } {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[last]?.content;
  const newest = typeof content === 'string' ? content.slice(content.lastIndexOf('\n\n') + 1) : '';
  return {
    text: newest.trimStart().replace(MESSAGE_NAME, ''),
    step: messages.slice(last).filter(({ role }) => role === 'assistant').length,
  };
}
