import type { ChatMessage } from '#contracts';
import { TerminalError } from '#kernel';
import type { Assembled, ContextBudget, Conversation, PastTurn } from './context-engine.js';
import { limitsOf, type ContextLimits } from './context-limits.js';
import { frameTokens, messagesTokens } from './token-estimate.js';
import { capMessage, clearResult, fitResults, softTrim } from './trim-messages.js';

/** Messages that are shown or left out as one, so that no turn and no call is ever split. */
interface Part {
  messages: readonly ChatMessage[];
  tokens: number;
}

interface View {
  /** Earlier turns beyond the last `keepRecentTurns`. */
  old: readonly Part[];
  recent: readonly Part[];
  current: Part;
}

/** Shares of the window the results of the running turn are pressed into when nothing else is left to give. */
const PRESSED = [0.25, 0.1, 0];

/** The fullest view of a conversation that has room. Pure: the stored transcript keeps what is cut here. */
export function assemble(conversation: Conversation, budget: ContextBudget): Assembled {
  const limits = limitsOf(budget);
  const summary = conversation.summary ? [capMessage(summaryMessage(conversation.summary), limits.text)] : [];
  const room = limits.room - frameTokens(conversation) - messagesTokens(summary);
  for (const { old, recent, current } of views(conversation, budget, limits, room)) {
    if (tokensOf([...old, ...recent, current]) > room) continue;
    const past = [...old, ...recent];
    return {
      messages: [...summary, ...past.flatMap(({ messages }) => messages), ...current.messages],
      omittedTurns: conversation.history.length - past.length,
    };
  }
  throw new TerminalError(
    'context_overflow',
    `The running turn alone is longer than the model's window of ${budget.windowTokens} tokens takes`,
  );
}

/** What is given up, in order: old results, old turns, length of the current results, recent results, recent turns. */
function* views(
  { history, user, progress }: Conversation,
  { keepRecentTurns, windowTokens, scale }: ContextBudget,
  { text, results }: ContextLimits,
  room: number,
): Generator<View> {
  const firstRecent = Math.max(0, history.length - keepRecentTurns);
  const oldTurns = history.slice(0, firstRecent);
  const recentTurns = history.slice(firstRecent);
  const running = (total: number) => part([...user, ...fitResults(progress, text, total)]);

  let view: View = {
    old: parts(oldTurns, capMessage, text),
    recent: parts(recentTurns, capMessage, text),
    current: running(results),
  };
  yield view;
  yield (view = { ...view, old: parts(oldTurns, softTrim, text) });
  yield (view = { ...view, old: parts(oldTurns, clearResult, text) });
  yield (view = { ...view, old: newest(view.old, room - tokensOf([...view.recent, view.current])) });
  const [gently = 0, ...harder] = PRESSED.map((share) => (windowTokens / scale) * share);
  yield (view = { ...view, current: running(gently) });
  yield (view = { ...view, recent: parts(recentTurns, clearResult, text) });
  yield (view = { ...view, recent: newest(view.recent, room - view.current.tokens) });
  for (const total of harder) yield (view = { ...view, current: running(total) });
}

function parts(turns: readonly PastTurn[], trim: (message: ChatMessage, text: number) => ChatMessage, text: number): Part[] {
  return turns.map(({ messages }) => part(messages.map((message) => trim(message, text))));
}

function part(messages: readonly ChatMessage[]): Part {
  return { messages, tokens: messagesTokens(messages) };
}

function tokensOf(all: readonly Part[]): number {
  return all.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** As many of the newest as have room. */
function newest(all: readonly Part[], room: number): Part[] {
  let left = room;
  const firstTooMuch = all.findLastIndex(({ tokens }) => (left -= tokens) < 0);
  return all.slice(firstTooMuch + 1);
}

/** From the user's side: a summary repeats what people and tools wrote, so it must not speak as the system does. */
function summaryMessage(summary: string): ChatMessage {
  return { role: 'user', text: `[Summary of the conversation so far]\n${summary}` };
}
