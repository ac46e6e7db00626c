import type { ContextEvent, ContextSettings } from './context/context-settings.js';
import { TurnContext } from './context/turn-context.js';
import type { Hooks } from './hooks/hooks.js';
import { idsOf, recordAll, type RunningTurn } from './running-turn.js';

/** The model's window over one attempt; compactions of earlier attempts count. */
export function openContext(turn: Omit<RunningTurn, 'context'>): TurnContext {
  const { input, deps, progress, signal } = turn;
  return new TurnContext({
    ...input,
    provider: deps.provider,
    progress: progress.messages,
    settings: { ...deps.context, report: contextReport(idsOf(turn), turn.hooks, deps.context?.report) },
    signal,
    reuse: (compaction) => {
      progress.compaction = compaction;
    },
    pay: (spent) => progress.ledger.pay(spent),
    store: (compaction) =>
      recordAll(turn, [{ k: 'compacted', ...compaction, spent: [...progress.ledger.unwritten] }], () => {
        progress.compaction = compaction;
      }),
  });
}

/** Tells the hooks of compactions, and whoever is told of everything. */
export function contextReport(
  { tenant, session, turn }: { tenant: string; session: string; turn: string },
  hooks: Hooks,
  report: ContextSettings['report'],
): (event: ContextEvent) => void {
  const ids = { tenant, session, turn };
  return (event) => {
    report?.(event);
    if (event.kind === 'compacting') {
      const { messages, tokens } = event;
      hooks.observe('before_compaction', { ...ids, messages, tokens });
    }
    if (event.kind === 'compacted') {
      const { messages, tokens, summary } = event;
      hooks.observe('after_compaction', { ...ids, messages, tokens, summary });
    }
  };
}
