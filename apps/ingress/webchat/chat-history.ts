import { z } from 'zod';
import type { AssistantMessage, ChatMessage, ToolCall, ToolMessage, TurnRecord } from '#contracts';
import { parkButtons, parkNotice } from '#routing';
import { json, sendsOf, type ChatChange, type ChatEntry, type Sends } from './chat-sends.js';

/** A committed turn as a reader sees it: what people asked, what the agent did and said, in order. */
export interface ChatTurn {
  turn: string;
  outcome: TurnRecord['outcome'];
  reason?: string;
  inputs: { id: string; text: string }[];
  entries: ChatEntry[];
  /** In their order; absent where there are none. */
  changes?: ChatChange[];
}

const questionSchema = z.object({ question: z.string() });
const SILENT = 'NO_REPLY';

export function chatTurn({ turn, outcome, reason, inputs, messages, park, place }: TurnRecord): ChatTurn {
  const asked = messages.filter(({ role }) => role === 'user');
  const ids = inputs.map(({ id }) => id);
  const said = outcome === 'command' ? 'notice' : 'final';
  const sends = sendsOf(turn, messages);
  const entries = messages.flatMap((message) =>
    message.role === 'assistant' ? entriesOf(message, messages, { said, sends }) : [],
  );
  const last = entries.at(-1);
  if (last?.kind === 'message' && last.mode === 'final' && place) last.id = `${turn}-${place.rows}`;
  // The question that waits is shown with its code and its buttons, once.
  const shown = entries.filter((entry) => entry.kind === 'tool' || entry.text !== park?.title);
  // Batched messages leave after all immediate ones and before the answer (TO-1).
  if (park) shown.push({ kind: 'message', mode: 'notice', text: parkNotice(park), buttons: parkButtons(park) });
  const order = (entry: ChatEntry): number =>
    entry.kind === 'tool' ? 0 : { narration: 0, immediate: 0, batched: 1, final: 2, notice: 3 }[entry.mode];
  return {
    turn,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    inputs: asked.map(({ text }, index) => ({ id: ids[index] ?? `${turn}/in/${index}`, text })),
    entries: shown.toSorted((a, b) => order(a) - order(b)),
    ...(sends.changes.length > 0 && { changes: sends.changes }),
  };
}

function entriesOf(
  { text, toolCalls, interrupted }: AssistantMessage,
  messages: readonly ChatMessage[],
  { said, sends }: { said: 'final' | 'notice'; sends: Sends },
): ChatEntry[] {
  const visible = text.trim().toUpperCase() === SILENT ? '' : text.trim();
  const mode = toolCalls.length > 0 ? 'narration' : said;
  const own: ChatEntry[] = visible ? [{ kind: 'message', mode, text: visible, ...(interrupted && { partial: true }) }] : [];
  return [
    ...own,
    ...toolCalls.flatMap((call) => (call.name === 'message' ? (sends.shown.get(call.id) ?? []) : callEntry(call, messages))),
  ];
}

function callEntry(call: ToolCall, messages: readonly ChatMessage[]): ChatEntry[] {
  const result = messages.find((message): message is ToolMessage => message.role === 'tool' && message.callId === call.id);
  const asked = call.name === 'ask_user' ? questionSchema.safeParse(json(call.arguments)).data : undefined;
  const question: ChatEntry[] = asked ? [{ kind: 'message', mode: 'narration', text: asked.question }] : [];
  return [...question, { kind: 'tool', name: call.name, state: result?.isError === false ? 'done' : 'failed' }];
}
