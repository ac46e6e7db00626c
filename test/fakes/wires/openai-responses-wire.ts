import { z } from 'zod';
import { interleaved, sse, toolParameters, type Wire, type WireStop } from './wire.js';

const frame = (type: string, rest: object): string => sse({ type, sequence_number: 0, ...rest }, type);

const INCOMPLETE: Partial<Record<WireStop, string>> = { length: 'max_output_tokens', refusal: 'content_filter' };

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const callId = z.string().min(1).max(64);
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const item = z.union([
  z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }),
  z.strictObject({ type: z.literal('function_call'), call_id: callId, name, arguments: z.string().refine(isJson) }),
  z.strictObject({ type: z.literal('function_call_output'), call_id: callId, output: z.string() }),
]);
const requestSchema = z.strictObject({
  model: z.string(),
  prompt_cache_key: z.string().max(64).optional(),
  stream: z.literal(true),
  store: z.literal(false),
  instructions: z.string().optional(),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name,
        description: z.string(),
        parameters: toolParameters,
        strict: z.boolean(),
      }),
    )
    .optional(),
});

/** The Responses API. */
export const openaiResponsesWire: Wire = {
  contentType: 'text/event-stream',
  stops: ['stop', 'length', 'refusal'],
  opening: () => [frame('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } })],
  text: (delta) => frame('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
  reasoning: (delta) =>
    frame('response.reasoning_summary_text.delta', { item_id: 'rs_1', output_index: 0, summary_index: 0, delta }),
  streamsCalls: true,
  calls: (calls) => [
    ...calls.map(({ id, name: tool }, index) =>
      frame('response.output_item.added', {
        output_index: index + 1,
        item: { type: 'function_call', id: `fc_${index}`, ...(id && { call_id: id }), name: tool, arguments: '' },
      }),
    ),
    ...interleaved(calls).map(({ at, piece }) =>
      frame('response.function_call_arguments.delta', { item_id: `fc_${at}`, output_index: at + 1, delta: piece }),
    ),
    ...calls.map(({ id, name: tool, pieces }, index) =>
      frame('response.output_item.done', {
        output_index: index + 1,
        item: { type: 'function_call', id: `fc_${index}`, ...(id && { call_id: id }), name: tool, arguments: pieces.join('') },
      }),
    ),
  ],
  closing: (stop, counted) => {
    const reason = INCOMPLETE[stop];
    const status = reason === undefined ? 'completed' : 'incomplete';
    const usage = counted && { input_tokens: counted.inputTokens, output_tokens: counted.outputTokens, total_tokens: 0 };
    const response = { id: 'resp_1', status, output: [], usage, incomplete_details: reason === undefined ? null : { reason } };
    return [frame(`response.${status}`, { response })];
  },
  keepAlive: ': keep-alive\n\n',
  nothings: [
    frame('response.in_progress', { response: { id: 'resp_1', status: 'in_progress', output: [] } }),
    frame('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: '' }),
    frame('response.output_item.added', { output_index: 90, item: { type: 'hunch', id: 'h_1' } }),
    frame('response.output_item.done', { output_index: 90, item: { type: 'hunch', id: 'h_1' } }),
    frame('response.function_call_arguments.delta', { item_id: 'fc_90', output_index: 90, delta: '' }),
    frame('response.hunch.delta', { item_id: 'h_1', delta: 'x' }),
  ],
  error: (status, message) =>
    JSON.stringify({ error: { message, type: status === 429 ? 'rate_limit_error' : 'invalid_request_error', code: null } }),
  errorInStream: (message) =>
    frame('response.failed', { response: { id: 'resp_1', status: 'failed', error: { code: 'server_error', message } } }),
  problems(body) {
    const read = requestSchema.safeParse(body);
    if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return pairProblems(read.data.input);
  },
};

/** "No tool output found for function call", and the other way round. */
function pairProblems(input: z.infer<typeof requestSchema>['input']): string[] {
  const calls = input.flatMap((each) => ('type' in each && each.type === 'function_call' ? [each.call_id] : []));
  const outputs = input.flatMap((each) => ('type' in each && each.type === 'function_call_output' ? [each.call_id] : []));
  const missing = calls.filter((id) => !outputs.includes(id));
  const orphans = outputs.filter((id) => !calls.includes(id));
  return [...missing.map((id) => `no output for ${id}`), ...orphans.map((id) => `no call for ${id}`)];
}
