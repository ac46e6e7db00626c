import type { ChatMessage } from '#contracts';

/** How often a tool failed since it last succeeded in this turn. Counted from the messages, so it survives a crash (TU-5). */
export function failuresInARow(messages: readonly ChatMessage[], tool: string): number {
  let failures = 0;
  for (const message of messages) {
    if (message.role === 'tool' && message.name === tool) failures = message.isError ? failures + 1 : 0;
  }
  return failures;
}
