import { z } from 'zod';
import {
  functionTools,
  imageUrl,
  interleaved,
  problemsOf,
  sse,
  toolName,
  turnProblems,
  type Wire,
  type WireStop,
} from './wire.js';

const STOPS: Record<WireStop, string> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
};
const chunk = (rest: object): string =>
  sse({ id: 'chatcmpl_1', object: 'chat.completion.chunk', created: 0, model: 'm', ...rest });
const choice = (delta: object, finish_reason: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta, finish_reason }] });

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: toolName, arguments: z.string().refine(isObject, 'must be a JSON object') }),
});
const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: imageUrl }) }),
]);
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(part).min(1)]) }),
  z.strictObject({ role: z.literal('assistant'), content: z.string().nullable(), tool_calls: z.array(call).min(1).optional() }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: z.string() }),
]);
const requestSchema = z.strictObject({
  model: z.string(),
  prompt_cache_key: z.string().max(64).optional(),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.literal(true) }),
  messages: z.array(message).min(1),
  tools: functionTools,
});

/** Chat Completions, as OpenAI and the servers compatible with it speak it. */
export const openaiChatWire: Wire = {
  contentType: 'text/event-stream',
  stops: ['stop', 'length', 'refusal'],
  opening: () => [choice({ role: 'assistant', content: null }), chunk({ choices: [] })],
  text: (content) => choice({ content }),
  reasoning: (reasoning_content) => choice({ reasoning_content }),
  streamsCalls: true,
  calls: (calls) => [
    ...calls.map(({ id, name: tool }, index) =>
      choice({ tool_calls: [{ index, ...(id && { id }), type: 'function', function: { name: tool, arguments: '' } }] }),
    ),
    ...interleaved(calls).map(({ at, piece }) => choice({ tool_calls: [{ index: at, function: { arguments: piece } }] })),
  ],
  closing: (stop, usage) => [
    choice({}, STOPS[stop]),
    ...(usage
      ? [
          chunk({
            choices: [],
            usage: { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens, total_tokens: 0 },
          }),
        ]
      : []),
    'data: [DONE]\n\n',
  ],
  keepAlive: ': keep-alive\n\n',
  nothings: [
    chunk({}),
    chunk({ choices: [] }),
    chunk({ choices: null, usage: null }),
    choice({}),
    choice({ content: null, tool_calls: null }),
    choice({ content: '', reasoning_content: '', tool_calls: [] }),
    chunk({ choices: [{ index: 0, delta: null, finish_reason: null }] }),
    sse({ type: 'hunch', hunch: 'x' }, 'hunch'),
  ],
  error: (_, text) => JSON.stringify({ error: { message: text, type: 'some_error', code: null } }),
  errorInStream: (text) => sse({ error: { message: text, type: 'server_error', code: null } }),
  problems: (body) => problemsOf(requestSchema, body, ({ messages }) => [...pairProblems(messages), ...turnProblems(messages)]),
};

/** "An assistant message with 'tool_calls' must be followed by tool messages responding to each". */
function pairProblems(messages: z.infer<typeof message>[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const [index, each] of messages.entries()) {
    if (each.role === 'tool') {
      if (!open.includes(each.tool_call_id)) problems.push(`messages.${index}: a result without its call`);
      open = open.filter((id) => id !== each.tool_call_id);
      continue;
    }
    if (open.length > 0) problems.push(`messages.${index}: results of ${open.join()} are missing`);
    open = each.role === 'assistant' ? (each.tool_calls ?? []).map(({ id }) => id) : [];
  }
  if (open.length > 0) problems.push(`results of ${open.join()} are missing`);
  return problems;
}
