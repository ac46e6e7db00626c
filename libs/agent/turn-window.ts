import type { ContextEvent } from './context/context-settings.js';
import { TurnContext } from './context/turn-context.js';
import { idsOf, recordAll, type RunningTurn } from './running-turn.js';

/** The model's window over one attempt; compactions of earlier attempts count. */
export function openContext(turn: Omit<RunningTurn, 'context'>): TurnContext {
  const { input, deps, progress, signal } = turn;
  return new TurnContext({
    ...input,
    provider: deps.provider,
    progress: progress.messages,
    settings: { ...deps.context, report: (event) => report(turn, event) },
    signal,
    reuse: (compaction, usage) => progress.compacted(compaction, usage),
    store: (compaction, usage) =>
      recordAll({ deps, signal }, [{ k: 'compacted', ...compaction, usage }], () => progress.compacted(compaction, usage)),
  });
}

function report(turn: Omit<RunningTurn, 'context'>, event: ContextEvent): void {
  const { hooks, deps } = turn;
  deps.context?.report?.(event);
  if (event.kind === 'compacting') {
    const { messages, tokens } = event;
    hooks.observe('before_compaction', { ...idsOf(turn), messages, tokens });
  }
  if (event.kind === 'compacted') {
    const { messages, tokens, summary } = event;
    hooks.observe('after_compaction', { ...idsOf(turn), messages, tokens, summary });
  }
}
