import { z } from 'zod';
import { base64, functionTools, problemsOf, toolName, turnProblems, type Wire } from './wire.js';

const line = (rest: object): string => `${JSON.stringify({ model: 'm', created_at: '2026-11-30T00:00:00Z', ...rest })}\n`;
const says = (message: object): string => line({ message: { role: 'assistant', content: '', ...message }, done: false });

const call = z.strictObject({ function: z.strictObject({ name: toolName, arguments: z.record(z.string(), z.unknown()) }) });
const requestSchema = z.strictObject({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.literal('system'), content: z.string() }),
      z.strictObject({ role: z.literal('user'), content: z.string(), images: z.array(base64).min(1).optional() }),
      z.strictObject({ role: z.literal('assistant'), content: z.string(), tool_calls: z.array(call).optional() }),
      z.strictObject({ role: z.literal('tool'), content: z.string(), tool_name: toolName }),
    ]),
  ),
  tools: functionTools,
});

/** `/api/chat`: one JSON object a line. */
export const ollamaWire: Wire = {
  contentType: 'application/x-ndjson',
  stops: ['stop', 'length'],
  kinds: ['image/jpeg', 'image/png'],
  opening: () => [],
  text: (content) => says({ content }),
  reasoning: (thinking) => says({ thinking }),
  streamsCalls: false,
  calls: (calls) => [
    says({
      tool_calls: calls.map(({ id, name: tool, pieces }) => ({
        ...(id && { id }),
        function: { name: tool, arguments: JSON.parse(pieces.join('') || '{}') as object },
      })),
    }),
  ],
  closing: (stop, usage) => [
    line({
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: stop === 'length' ? 'length' : 'stop',
      ...(usage && { prompt_eval_count: usage.inputTokens, eval_count: usage.outputTokens }),
    }),
  ],
  keepAlive: says({}),
  nothings: [
    says({ tool_calls: [] }),
    says({ thinking: '' }),
    says({ hunch: 'x' }),
    line({ done: false }),
    line({ status: 'loading' }),
  ],
  error: (_, message) => JSON.stringify({ error: message }),
  errorInStream: (message) => `${JSON.stringify({ error: message })}\n`,
  problems: (body) => problemsOf(requestSchema, body, ({ messages }) => turnProblems(messages)),
};
