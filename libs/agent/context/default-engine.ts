import { assemble } from './assemble.js';
import type { ContextEngine } from './context-engine.js';
import { summarise } from './summarise.js';

/** The built-in engine: prunes, leaves out, summarises. It remembers nothing. */
export const defaultEngine: ContextEngine = {
  id: 'default',
  ingest: async () => undefined,
  assemble: async (conversation, budget) => assemble(conversation, budget),
  compact: (conversation, budget, summariser) => summarise(conversation, budget, summariser),
  afterTurn: async () => undefined,
  dispose: async () => undefined,
};
