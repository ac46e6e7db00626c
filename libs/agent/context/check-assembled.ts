import type { ChatMessage } from '#contracts';
import type { ContextBudget, Conversation } from './context-engine.js';
import { limitsOf } from './context-limits.js';
import { frameTokens, messagesTokens } from './token-estimate.js';

/** Why no provider would take these messages, or the model could not answer them; undefined when they will do. */
export function faultOf(messages: readonly ChatMessage[], conversation: Conversation, budget: ContextBudget): string | undefined {
  const tokens = frameTokens(conversation) + messagesTokens(messages);
  const { room } = limitsOf(budget);
  if (tokens > room) return `${Math.ceil(tokens)} tokens were assembled where ${Math.floor(room)} have room`;
  if (!conversation.user.every((asked) => messages.some(({ role, text }) => role === 'user' && text === asked.text)))
    return 'A message that is to be answered was left out';
  return brokenPair(messages);
}

/** Every result follows its call, and every call has its results before anything else is said. */
function brokenPair(messages: readonly ChatMessage[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role !== 'tool') {
      if (open.length > 0) return `The call ${open[0]} has no result`;
      open = message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [];
      continue;
    }
    if (!open.includes(message.callId)) return `The result of ${message.callId} has no call`;
    open = open.filter((id) => id !== message.callId);
  }
  return open.length > 0 ? `The call ${open[0]} has no result` : undefined;
}
