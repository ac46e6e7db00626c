import { z } from 'zod';
import type { Tool } from '#agent';
import { InvalidInputError } from '#kernel';
import { defineTool } from '../define-tool.js';
import { evaluate } from './arithmetic.js';

/** Hides the last digits of binary fractions: 0.1 + 0.2 reads 0.3. */
const SIGNIFICANT_DIGITS = 12;

export const calculatorTool: Tool = defineTool({
  name: 'calculator',
  description: 'Evaluates an arithmetic expression with + - * / % ^ and parentheses.',
  schema: z.object({ expression: z.string().min(1).describe('For example (12 + 3) * 7 ^ 2') }),
  effect: 'pure',
  async execute({ expression }) {
    try {
      return { text: String(Number(evaluate(expression).toPrecision(SIGNIFICANT_DIGITS))), isError: false };
    } catch (error) {
      if (error instanceof InvalidInputError) return { text: `${error.message}.`, isError: true };
      throw error;
    }
  },
});
