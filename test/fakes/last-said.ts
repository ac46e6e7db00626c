import type { ModelServerRequest } from './model-server.js';

/** What stands before a message whose id the agent may use. */
const MESSAGE_NAME = /^\[message [^\]]+\]\n/;

/**
 * What a person said last in a message, as the model reads it. The wire makes one of several that follow each other, a blank line
 * between them: none that a test sends has one inside.
 */
export function saidIn(content: string): string {
  return content
    .slice(content.lastIndexOf('\n\n') + 1)
    .trimStart()
    .replace(MESSAGE_NAME, '');
}

/** The same of a request, and how many answers the model has given since. */
export function lastSaid({ messages }: ModelServerRequest): { text: string; step: number } {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[last]?.content;
  return {
    text: typeof content === 'string' ? saidIn(content) : '',
    step: messages.slice(last).filter(({ role }) => role === 'assistant').length,
  };
}
