import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Tool } from '#agent';
import { defineTool } from '../define-tool.js';

const ANGLES = ['an overview', 'a field report', 'a comparison', 'common mistakes', 'figures from practice', 'a short history'];
const RESULTS = 3;

/** Invented results, the same for the same query: something to look at without a key or a network. */
export const demoSearchTool: Tool = defineTool({
  name: 'demo_search',
  description: 'A search over a small invented demo corpus (no network, not real results).',
  schema: z.object({ query: z.string().min(1) }),
  effect: 'pure',
  cacheTtlMs: 300_000,
  async execute({ query }) {
    const seed = createHash('sha256').update(query).digest();
    const lines = Array.from({ length: RESULTS }, (_, index) => {
      const angle = ANGLES[((seed[0] ?? 0) + index) % ANGLES.length];
      return `${index + 1}. ${query}: ${angle} (relevance 0.${90 - index * 7})`;
    });
    return { text: [`Demo results for "${query}" (invented):`, ...lines].join('\n'), isError: false };
  },
});
