import type { ModelServerRequest } from './model-server.js';

/**
 * What a person said last, and how many answers the model has given since. The wire makes one message of several that follow each
 * other, a blank line between them: none that a test sends has one inside.
 */
export function lastSaid({ messages }: ModelServerRequest): { text: string; step: number } {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[last]?.content;
  return {
    text: typeof content === 'string' ? content.slice(content.lastIndexOf('\n\n') + 1).trimStart() : '',
    step: messages.slice(last).filter(({ role }) => role === 'assistant').length,
  };
}
