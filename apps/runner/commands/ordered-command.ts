import type { Compacted } from '#agent';
import type { AgentConfig } from '#config';
import type { ClaimedSession } from '#sessions';
import type { ModelRegistry } from '#models';
import type { ClaimedTurn } from '../claimed-turn.js';

/** An ordered command in its place, under the claim of its session. */
export interface CommandRun {
  turn: ClaimedTurn;
  /** What follows the name, trimmed; as many words as the table allows. */
  args: string;
  agent: AgentConfig;
  /** session.archiveTtlMs of the tenant. */
  archiveTtlMs: number;
  models: ModelRegistry;
  session: ClaimedSession;
  /** Makes a summary now; undefined: there is nothing to cover. */
  compact: (focus: string) => Promise<Compacted | 'failed' | undefined>;
}

export interface CommandResult {
  reply: string;
  /** The turn is the first of a new epoch. */
  startsEpoch?: boolean;
  /** By this claim, not by one before it. */
  begun?: boolean;
}

/**
 * Executes one ordered command (RT-4). Its turn may be resumed by another runner at any point: run again, it must come to the
 * same end, so it writes what the session or the journal remembers. Throws LeaseLostError.
 */
export type OrderedCommand = (run: CommandRun) => Promise<CommandResult>;
