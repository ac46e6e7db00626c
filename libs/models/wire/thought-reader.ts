import type { ChatMessage, Thought } from '#contracts';

/** Whose thoughts may go along: nobody else can read them, and a server refuses a request for one that it can't. */
export interface ThoughtReader {
  provider: string;
  model: string;
  /** ModelProvider.account, where another key may not read them. */
  account?: string;
}

export function mayRead(reader: ThoughtReader, { provider, model, account }: Thought): boolean {
  return reader.provider === provider && reader.model === model && (account === undefined || account === reader.account);
}

/** Whether the tool loop that goes on, if any, began with a thought that this reader knows. */
export function keepsThoughts(messages: readonly ChatMessage[], reader: ThoughtReader): boolean {
  const first = messages
    .slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
    .find(({ role }) => role === 'assistant');
  return first?.role !== 'assistant' || (first.reasoning ?? []).some((thought) => mayRead(reader, thought));
}
