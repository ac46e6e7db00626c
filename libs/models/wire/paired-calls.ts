import type { AssistantMessage, ChatMessage, ToolCall, ToolMessage } from '#contracts';

/** What the model reads of a call whose result is lost. */
const NO_RESULT = 'No result: it is not known whether this call was carried out.';

/** Most wires refuse a conversation that the model begins, and clients lead some: a greeting comes first. */
const BEGINNING: ChatMessage = { role: 'user', text: '(The conversation begins.)' };

interface Asked {
  /** With the id that goes out. */
  call: ToolCall;
  result?: ToolMessage;
}

interface Said {
  message: Exclude<ChatMessage, ToolMessage>;
  asked: Asked[];
}

/**
 * The conversation as every wire takes it: behind each answer one result for each of its calls, in their order, and no other ones
 * (MO-4). A result belongs to the last call of its id before it; without one, and as a second one, it is left out. A call without a
 * result gets an error for one. Answers that say nothing are left out. The user begins. The same messages become the same bytes, whatever follows.
 *
 * @param idForm what the wire makes of an id; two calls never share one, even where a conversation says so
 */
export function pairedCalls(messages: readonly ChatMessage[], idForm = (id: string): string => id): ChatMessage[] {
  const taken = new Set<string>();
  const lastAsked = new Map<string, Asked[]>();
  const said: Said[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const open = lastAsked.get(message.callId)?.find(({ result }) => result === undefined);
      if (open) open.result = message;
    } else if (message.role === 'user') {
      said.push({ message, asked: [] });
    } else if (saysSomething(message)) {
      const asked = message.toolCalls.map((call): Asked => ({ call: { ...call, id: freeId(call.id, idForm, taken) } }));
      for (const [id, same] of Map.groupBy(asked, (_, index) => message.toolCalls[index]?.id ?? '')) lastAsked.set(id, same);
      said.push({ message: { ...message, toolCalls: asked.map(({ call }) => call) }, asked });
    }
  }
  const whole = said.flatMap(({ message, asked }) => [message, ...asked.map(resultOf)]);
  return whole[0]?.role === 'assistant' ? [BEGINNING, ...whole] : whole;
}

function saysSomething({ text, toolCalls, interrupted }: AssistantMessage): boolean {
  return text.trim() !== '' || toolCalls.length > 0 || interrupted === true;
}

function resultOf({ call: { id, name }, result }: Asked): ToolMessage {
  return { role: 'tool', text: NO_RESULT, isError: true, ...result, callId: id, name };
}

function freeId(id: string, idForm: (id: string) => string, taken: Set<string>): string {
  let free = idForm(id);
  for (let nth = 2; taken.has(free); nth++) free = idForm(`${id}-${nth}`);
  taken.add(free);
  return free;
}
