import type { z } from 'zod';

const TOOLS = 'is refused: tools are configured at the agent and run there. Leave it out';
const STRUCTURED = 'is refused: the agent answers in text. Ask for a format in the message';

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const only =
  (...harmless: unknown[]) =>
  (value: unknown): boolean =>
    harmless.includes(value);
const isText = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && 'type' in value && value.type === 'text';

/**
 * Options that ask for what an agent does not do: whoever sets one would wait for it in vain. Each with the values that ask for
 * nothing. Every other option is accepted and ignored (docs/openai-api.md).
 */
const REFUSED: Readonly<Record<string, { harmless: (value: unknown) => boolean; why: string }>> = {
  tools: { harmless: isEmpty, why: TOOLS },
  functions: { harmless: isEmpty, why: TOOLS },
  tool_choice: { harmless: only('none', 'auto'), why: TOOLS },
  function_call: { harmless: only('none', 'auto'), why: TOOLS },
  web_search_options: { harmless: only(), why: TOOLS },
  n: { harmless: only(1), why: 'is refused: an agent gives one answer. Leave it out' },
  logprobs: { harmless: only(false), why: 'is refused: an agent has none. Leave it out' },
  top_logprobs: { harmless: only(0), why: 'is refused: an agent has none. Leave it out' },
  audio: { harmless: only(), why: 'is refused: the agent answers in text. Leave it out' },
  modalities: {
    harmless: (value) => Array.isArray(value) && value.every(only('text')),
    why: 'is refused: the agent answers in text',
  },
  response_format: { harmless: isText, why: STRUCTURED },
  text: {
    harmless: (value) => typeof value === 'object' && value !== null && (!('format' in value) || isText(value.format)),
    why: STRUCTURED,
  },
  background: { harmless: only(false), why: 'is refused: POST /api/messages stores a message and does not wait' },
  conversation: { harmless: only(), why: 'is refused: name a session with x-turnpike-session or user' },
  prompt: { harmless: only(), why: 'is refused: prompts are configured at the agent. Leave it out' },
};

/** For `superRefine` of a request. */
export function refuseOptions(request: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(request)) {
    const refused = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
    if (refused && value != null && !refused.harmless(value))
      context.addIssue({ code: 'custom', path: [name], message: refused.why });
  }
}
