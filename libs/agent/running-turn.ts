import type { ChatMessage, JournalEntry, Usage } from '#contracts';
import type { TurnJournal } from './turn-journal.js';
import type { TurnProgress } from './turn-progress.js';
import { TurnCancelled, type TurnDeps, type TurnInput } from './turn-types.js';
import { underSignal } from './under-signal.js';

/** One attempt of a turn: what its parts share. */
export interface RunningTurn {
  input: Required<TurnInput>;
  deps: TurnDeps;
  journal: TurnJournal;
  progress: TurnProgress;
  signal: AbortSignal;
}

/** Journals one entry and, once it is stored, the message it stands for. Throws TurnCancelled when a cancel is pending. */
export async function record(turn: RunningTurn, entry: JournalEntry, message?: ChatMessage, usage?: Usage): Promise<void> {
  const reply = await underSignal(turn.signal, () => turn.deps.step([entry]));
  if (message) turn.progress.add(message, usage);
  if (reply.cancelled) throw new TurnCancelled();
}
