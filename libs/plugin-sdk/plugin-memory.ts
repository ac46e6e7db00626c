/** Whose memory is meant. A memory is its tenant's: nothing of one may be found by another. */
export interface MemoryOwner {
  readonly tenant: string;
  /** The conversation that asks; a memory may keep it, and must not take it for the only one that may read. */
  readonly sessionKey: string;
}

export interface MemoryNote {
  id: string;
  text: string;
  /** When it was written, ms since the epoch. */
  at: number;
}

/** Long-term memory behind the tools `memory_search`, `memory_get` and `memory_write`. What it throws is told to the model as a failure. */
export interface PluginMemory {
  /** The best first, at most `limit`. */
  search(query: string, limit: number, owner: MemoryOwner, signal: AbortSignal): Promise<readonly MemoryNote[]>;
  get(id: string, owner: MemoryOwner, signal: AbortSignal): Promise<MemoryNote | undefined>;
  /** Writes a note, or writes one anew. The same call may come again after a crash, with the same id. */
  write(note: { id: string; text: string }, owner: MemoryOwner, signal: AbortSignal): Promise<void>;
}
