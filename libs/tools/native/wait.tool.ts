import { z } from 'zod';
import type { Tool } from '#agent';
import { delay } from '#kernel';
import { defineTool } from '../define-tool.js';

const MAX_SECONDS = 300;

/** A slow job to play with: /stop it, or kill the runner in the middle. */
export const waitTool: Tool = defineTool({
  name: 'wait',
  description: 'Waits some seconds, like a slow job would.',
  schema: z.object({ seconds: z.number().min(0).max(MAX_SECONDS) }),
  effect: 'idempotent',
  timeoutMs: (MAX_SECONDS + 5) * 1000,
  async execute({ seconds }, _context, signal) {
    await delay(seconds * 1000, signal);
    return { text: `Waited ${seconds} s.`, isError: false };
  },
});
