import type { ModelRequest } from '#agent';
import type { ToolMessage } from '#contracts';

/** What a script sees: everything it knows comes from the request, so a resumed turn goes on where it was. */
export interface Conversation {
  /** What the user wrote last; several messages of one turn are joined. */
  text: string;
  /** Whether the user writes Chinese. */
  chinese: boolean;
  /** Messages of the user in this session, this turn's included. */
  heard: number;
  first: string;
  /** Answers already given in this turn: the index of the next step. */
  step: number;
  /** Results of this turn's tool calls, in order. */
  results: readonly ToolMessage[];
  tools: ReadonlySet<string>;
}

/** What a message begins with where the message tool could answer it by its id. */
const MESSAGE_NAME = /^\[message [^\]\n]+\]\n/;

export function readConversation({ messages, tools }: ModelRequest): Conversation {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const since = messages.slice(lastUser + 1);
  const said = messages.flatMap((message) => (message.role === 'user' ? [message.text.replace(MESSAGE_NAME, '')] : []));
  let from = lastUser;
  while (messages[from - 1]?.role === 'user') from -= 1;
  const text = messages
    .slice(Math.max(0, from), lastUser + 1)
    .flatMap((message) => (message.role === 'user' ? [message.text.replace(MESSAGE_NAME, '')] : []))
    .join('\n');
  return {
    text,
    chinese: /\p{Script=Han}/u.test(text),
    heard: said.length,
    first: said[0] ?? '',
    step: since.filter((message) => message.role === 'assistant').length,
    results: since.flatMap((message) => (message.role === 'tool' ? [message] : [])),
    tools: new Set(tools.map((tool) => tool.name)),
  };
}
