import type { Conversation } from './context-engine.js';
import { messagesTokens } from './token-estimate.js';

/** What hooks and logs say of a conversation. */
export function conversationSize({ history, user, progress }: Conversation): { messages: number; tokens: number } {
  const all = [...history.flatMap(({ messages }) => messages), ...user, ...progress];
  return { messages: all.length, tokens: Math.ceil(messagesTokens(all)) };
}
