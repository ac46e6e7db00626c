export interface Requirement {
  behaviour: string;
  source: string;
}

/** Mistakes of the documents that the design began with. */
export const traps = {
  T1: { behaviour: 'a refused immediate send appears once in the flush at turn end', source: 'seed 003' },
  T2: { behaviour: 'an unknown outcome makes no second copy; a proven-unsent send is batched once', source: 'seed 003' },
  T3: { behaviour: 'send limits are per chat and bot, and shared by replicas', source: 'seed 003' },
  T4: { behaviour: 'a send reaches the right account and topic', source: 'seed 003' },
  T5: { behaviour: 'batched sends survive a kill and are dropped with a record on abort', source: 'seed 003' },
  T6: { behaviour: 'the unconfirmed issue number of the seed is not cited', source: 'seed 003' },
  T7: { behaviour: 'equal platform ids of two chats or two bots are two messages', source: 'seed 001' },
  T8: { behaviour: 'a tool result is cut again for a smaller fallback window', source: 'seed 001' },
  T9: { behaviour: 'tool schemas suit each provider after a fallback', source: 'seed 001' },
  T10: { behaviour: 'the session of a tool call comes from the run, its origin from metadata', source: 'seed 000' },
  T11: { behaviour: 'ten first calls start one MCP server; a differing schema is reported', source: 'seed 000' },
  T12: { behaviour: 'a reload shows a new MCP tool in the next turn of every session kind', source: 'seed 000' },
  T13: { behaviour: 'a name clash of tool sources is refused or namespaced, the same everywhere', source: 'seed 004' },
  T14: { behaviour: 'followup is the default mode', source: 'seed 001' },
  T15: { behaviour: 'tool results go to the model only', source: 'seed 003' },
  T16: { behaviour: 'each delivery config value and count is read', source: 'seed 003' },
  T17: { behaviour: 'the curl tests run with a bearer header and a JSON content type', source: 'seed 003' },
} as const satisfies Record<string, Requirement>;
