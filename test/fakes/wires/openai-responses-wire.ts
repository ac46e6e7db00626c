import { z } from 'zod';
import { imageUrl, interleaved, problemsOf, sse, toolName, type Wire, type WireStop } from './wire.js';
import { jsonSchema, parametersOf, strictJsonSchema } from './tool-schemas.js';

const frame = (type: string, rest: object): string => sse({ type, sequence_number: 0, ...rest }, type);

const INCOMPLETE: Partial<Record<WireStop, string>> = { length: 'max_output_tokens', refusal: 'content_filter' };

const callId = z.string().min(1).max(64);
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
/** What this server encrypts thoughts to: it takes no other. */
const ENCRYPTED = 'c2ln';

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({ type: z.literal('input_image'), image_url: imageUrl, detail: z.enum(['auto', 'low', 'high']) }),
]);
const item = z.union([
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().regex(/^rs_/),
    summary: z.array(z.unknown()),
    encrypted_content: z.literal(ENCRYPTED),
  }),
  z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.array(part).min(1) }),
  z.strictObject({ type: z.literal('function_call'), call_id: callId, name: toolName, arguments: z.string().refine(isJson) }),
  z.strictObject({ type: z.literal('function_call_output'), call_id: callId, output: z.string() }),
]);
const tool = { type: z.literal('function'), name: toolName, description: z.string() };
const requestSchema = z.strictObject({
  model: z.string(),
  prompt_cache_key: z.string().max(64).optional(),
  stream: z.literal(true),
  store: z.literal(false),
  include: z.tuple([z.literal('reasoning.encrypted_content')]).optional(),
  reasoning: z.strictObject({ effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']) }).optional(),
  instructions: z.string().optional(),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.discriminatedUnion('strict', [
        z.strictObject({ ...tool, strict: z.literal(false), parameters: parametersOf(jsonSchema) }),
        z.strictObject({ ...tool, strict: z.literal(true), parameters: parametersOf(strictJsonSchema) }),
      ]),
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
    frame('response.output_item.added', { output_index: 0, item: { type: 'reasoning', id: 'rs_1', encrypted_content: 'half' } }) +
    frame('response.reasoning_summary_text.delta', { item_id: 'rs_1', output_index: 0, summary_index: 0, delta }) +
    frame('response.output_item.done', {
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: delta }], encrypted_content: ENCRYPTED },
    }),
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
  problems: (body) => problemsOf(requestSchema, body, (read) => [...pairProblems(read.input), ...thoughtProblems(read)]),
};

/** "Encrypted content is not supported with this model", and "was provided without its required following item". */
function thoughtProblems({ model, include, input }: z.infer<typeof requestSchema>): string[] {
  const isReasoning = (at: number): boolean => {
    const each = input[at];
    return each !== undefined && 'type' in each && each.type === 'reasoning';
  };
  const problems = include && !/^(?:o\d|gpt-5(?!.*-chat))/.test(model) ? [`${model} encrypts no thoughts`] : [];
  const lone = input.flatMap((_, at) => (isReasoning(at) && (isReasoning(at + 1) || at === input.length - 1) ? [at] : []));
  return [...problems, ...lone.map((at) => `input.${at}: a thought without what followed it`)];
}

/** "No tool output found for function call", and the other way round. */
function pairProblems(input: z.infer<typeof requestSchema>['input']): string[] {
  const calls = input.flatMap((each) => ('type' in each && each.type === 'function_call' ? [each.call_id] : []));
  const outputs = input.flatMap((each) => ('type' in each && each.type === 'function_call_output' ? [each.call_id] : []));
  const missing = calls.filter((id) => !outputs.includes(id));
  const orphans = outputs.filter((id) => !calls.includes(id));
  return [...missing.map((id) => `no output for ${id}`), ...orphans.map((id) => `no call for ${id}`)];
}
