import type { ChatMessage, JournalEntry, Tier } from '#contracts';
import type { TurnContext } from './context/turn-context.js';
import type { Hooks } from './hooks/hooks.js';
import type { LoopGuard } from './loops/loop-guard.js';
import type { ReusableResults } from './reusable-results.js';
import type { Steering } from './steering.js';
import type { TurnJournal } from './turn-journal.js';
import type { TurnProgress } from './turn-progress.js';
import { TurnCancelled, type TurnDeps, type TurnInput, type WholeTurnInput } from './turn-types.js';
import { underSignal } from './under-signal.js';

/** One attempt of a turn: what its parts share. */
export interface RunningTurn {
  input: WholeTurnInput;
  /** What its answers count as. */
  tier: Tier;
  deps: TurnDeps;
  journal: TurnJournal;
  progress: TurnProgress;
  context: TurnContext;
  hooks: Hooks;
  loops: LoopGuard;
  reusable: ReusableResults;
  steering: Steering;
  signal: AbortSignal;
}

/** How hooks are told which turn it is. */
export function idsOf({ input: { tenant, session, turn } }: { input: Pick<TurnInput, 'tenant' | 'session' | 'turn'> }) {
  return { tenant, session, turn };
}

/** Journals one entry and, once it is stored, the message it stands for. Throws TurnCancelled when a cancel is pending. */
export async function record(turn: RunningTurn, entry: JournalEntry, message?: ChatMessage): Promise<void> {
  await recordAll(turn, [entry], () => message && turn.progress.add(message));
}

/** Journals entries in one step; `stored` is called as soon as they are. Throws TurnCancelled when a cancel is pending. */
export async function recordAll(
  turn: Pick<RunningTurn, 'deps' | 'progress' | 'signal'>,
  entries: readonly JournalEntry[],
  stored: () => void,
): Promise<void> {
  const reply = await underSignal(turn.signal, () => turn.deps.step(entries));
  for (const entry of entries) if ('spent' in entry) turn.progress.ledger.written(entry.spent);
  stored();
  if (reply.cancelled) throw new TurnCancelled();
}
