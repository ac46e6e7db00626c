import { z } from 'zod';
import type { Tool } from '#agent';
import { defineTool } from '../define-tool.js';

/** Of a question and of one choice: both are shown in a chat, a choice on a button. */
const MAX_QUESTION = 2000;
const MAX_CHOICE = 60;
const MAX_CHOICES = 8;

/** The turn waits for the answer without holding anything, for as long as `tools.approval.timeoutMs` (TU-7). */
export const askUserTool: Tool = defineTool({
  name: 'ask_user',
  description:
    'Asks the user a question and waits for the answer, for hours if need be. Use it only when you cannot go on without the answer; otherwise answer, and let the user reply.',
  schema: z.object({
    question: z.string().trim().min(1).max(MAX_QUESTION),
    choices: z
      .array(z.string().trim().min(1).max(MAX_CHOICE))
      .max(MAX_CHOICES)
      .default([])
      .describe('Answers to choose from; the user may answer otherwise'),
  }),
  effect: 'pure',
  volatile: true,
  parallelSafe: false,
  async execute({ question, choices }) {
    return { text: question, isError: false, asks: { choices } };
  },
});
