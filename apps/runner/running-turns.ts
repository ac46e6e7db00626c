import type { CancelHint } from '#contracts';
import type { SessionKey } from '#kernel';
import { CancelRequested } from './stop-reasons.js';

export interface RunningTurn {
  turn: string;
  abort: AbortController;
}

/** The turns of this process. A cancel hint aborts the one it names at once, not only at its next step. */
export class RunningTurns {
  private readonly bySession = new Map<string, RunningTurn>();

  get count(): number {
    return this.bySession.size;
  }

  enter(session: SessionKey, turn: RunningTurn): () => void {
    this.bySession.set(session, turn);
    return () => {
      if (this.bySession.get(session) === turn) this.bySession.delete(session);
    };
  }

  /** Ignores hints for turns that run elsewhere or have ended. */
  cancel({ session, turn, why = 'cancelled' }: CancelHint): void {
    const running = this.bySession.get(session);
    if (running?.turn === turn) running.abort.abort(new CancelRequested(why));
  }
}
