import type { JournalEntry, Spent } from '#contracts';
import { CompactionRun } from './context/compaction-run.js';
import type { Compaction, Conversation } from './context/context-engine.js';
import type { ContextSettings } from './context/context-settings.js';
import { conversationSize } from './context/conversation-size.js';
import { windowOf } from './context/model-windows.js';
import type { Hooks } from './hooks/hooks.js';
import type { ModelProvider } from './model-port.js';
import { contextReport } from './turn-window.js';

export interface CompactRequest {
  conversation: Pick<Conversation, 'tenant' | 'session' | 'turn' | 'summary' | 'history'>;
  provider: ModelProvider;
  model: string;
  settings: ContextSettings;
  hooks: Hooks;
  /** What the summary is to keep above all; '' for nothing in particular. */
  focus: string;
  /** Of this turn: a compaction in it is used again. */
  journal: readonly JournalEntry[];
  /** Journals a new one. */
  store: (compaction: Compaction) => Promise<void>;
  /** Told of what each question for a summary cost. */
  pay: (spent: Spent | undefined) => void;
}

export interface Compacted {
  compaction: Compaction;
  /** Earlier turns that the summary stands for. */
  turns: number;
}

/** Compacts a conversation now, whatever room there is. undefined: nothing to cover. Throws as CompactionRun, and as `store`. */
export async function compactNow(request: CompactRequest, signal: AbortSignal): Promise<Compacted | 'failed' | undefined> {
  const { provider, model, focus, hooks, journal, store, pay } = request;
  const conversation = { ...request.conversation, system: '', tools: [], user: [], progress: [] };
  const turnsUpTo = (last: string): number => conversation.history.findIndex(({ turn }) => turn === last) + 1;
  const before = journal.find((entry) => entry.k === 'compacted');
  if (before) {
    const { summary, upTo } = before;
    return { compaction: { summary, upTo }, turns: turnsUpTo(upTo) };
  }
  const report = contextReport(request.conversation, hooks, request.settings.report);
  const { reserveTokens = 20_000, keepRecentTurns = 3, windows } = request.settings;
  const windowTokens = windowOf(provider.id, model, windows);
  const run = new CompactionRun({ ...request.settings, report }, { provider, model, windowTokens }, pay, signal);
  const compaction = await run.compact(conversation, { windowTokens, reserveTokens, keepRecentTurns, scale: 1 }, focus);
  if (!compaction || compaction === 'failed') return compaction;
  await store(compaction);
  const turns = turnsUpTo(compaction.upTo);
  report({
    kind: 'compacted',
    ...compaction,
    ...conversationSize({ ...conversation, history: conversation.history.slice(turns) }),
  });
  return { compaction, turns };
}
