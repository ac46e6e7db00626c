import { z } from 'zod';
import { base64, problemsOf, sse, toolName, type Wire, type WireStop } from './wire.js';
import { anthropicJsonSchema, parametersOf } from './tool-schemas.js';

const STOPS: Record<WireStop, string> = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' };
const frame = (type: string, rest: object): string => sse({ type, ...rest }, type);

/** What this server signs thoughts with: it takes no other. */
const SIGNATURE = 'c2ln';

const nonBlank = z.string().regex(/\S/);
const id = z.string().regex(/^[A-Za-z0-9_-]+$/);
const cacheControl = z.strictObject({ type: z.literal('ephemeral') }).optional();
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: nonBlank, cache_control: cacheControl }),
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: base64,
    }),
    cache_control: cacheControl,
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.literal(SIGNATURE) }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.literal(SIGNATURE) }),
  z.strictObject({
    type: z.literal('tool_use'),
    id,
    name: toolName,
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: id,
    content: nonBlank,
    is_error: z.boolean(),
    cache_control: cacheControl,
  }),
]);
const requestSchema = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('adaptive') }),
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
    ])
    .optional(),
  output_config: z.strictObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']) }).optional(),
  stream: z.literal(true),
  system: z.array(z.strictObject({ type: z.literal('text'), text: nonBlank, cache_control: cacheControl })).optional(),
  tools: z
    .array(
      z.strictObject({
        name: toolName,
        description: z.string(),
        input_schema: parametersOf(anthropicJsonSchema),
        cache_control: cacheControl,
      }),
    )
    .optional(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
});

/** The Messages API. */
export const anthropicWire: Wire = {
  contentType: 'text/event-stream',
  stops: ['stop', 'length', 'refusal'],
  opening: (usage) => [
    frame('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        ...(usage && { usage: { input_tokens: usage.inputTokens, output_tokens: 1 } }),
      },
    }),
  ],
  text: (text) =>
    frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }) +
    frame('content_block_stop', { index: 0 }),
  reasoning: (thinking) =>
    frame('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }) +
    frame('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking } }) +
    frame('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } }) +
    frame('content_block_stop', { index: 0 }),
  streamsCalls: true,
  calls: (calls) =>
    calls.flatMap(({ id: callId, name: tool, pieces }, at) => [
      frame('content_block_start', {
        index: at + 1,
        content_block: { type: 'tool_use', ...(callId && { id: callId }), name: tool, input: {} },
      }),
      ...pieces.map((piece) =>
        frame('content_block_delta', { index: at + 1, delta: { type: 'input_json_delta', partial_json: piece } }),
      ),
      frame('content_block_stop', { index: at + 1 }),
    ]),
  closing: (stop, usage) => [
    frame('message_delta', {
      delta: { stop_reason: STOPS[stop], stop_sequence: null },
      ...(usage && { usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } }),
    }),
    frame('message_stop', {}),
  ],
  keepAlive: frame('ping', {}),
  nothings: [
    ': nothing\n\n',
    frame('message_pause', { seconds: 3 }),
    frame('content_block_delta', { index: 90, delta: { type: 'text_delta', text: '' } }),
    frame('content_block_delta', { index: 90, delta: { type: 'input_json_delta', partial_json: '{' } }),
    frame('content_block_delta', { index: 90, delta: { type: 'hunch_delta', hunch: 'x' } }),
    frame('content_block_start', { index: 91, content_block: { type: 'hunch', text: 'x' } }),
    frame('content_block_stop', { index: 91 }),
  ],
  error: (status, message) => JSON.stringify({ type: 'error', error: { type: errorType(status), message } }),
  errorInStream: (message) => frame('error', { error: { type: 'overloaded_error', message } }),
  problems: (body) =>
    problemsOf(requestSchema, body, (read) => [
      ...markerProblems(read),
      ...orderProblems(read.messages),
      ...thinkingProblems(read),
    ]),
};

function markerProblems(read: z.infer<typeof requestSchema>): string[] {
  const markers = JSON.stringify(read).split('"cache_control"').length - 1;
  return markers > 4 ? [`A maximum of 4 blocks with cache_control may be provided. Found ${markers}.`] : [];
}

function errorType(status: number): string {
  const types: Record<number, string> = { 401: 'authentication_error', 403: 'permission_error', 404: 'not_found_error' };
  if (status === 429) return 'rate_limit_error';
  if (status === 529) return 'overloaded_error';
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** A budget is below max_tokens, and then the tool loop that goes on has to begin with a thought. */
function thinkingProblems({ thinking, max_tokens, messages }: z.infer<typeof requestSchema>): string[] {
  if (thinking?.type !== 'enabled') return [];
  const problems = thinking.budget_tokens < max_tokens ? [] : ['budget_tokens is not below max_tokens'];
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && content.some(({ type }) => type === 'text'));
  const first = messages.slice(asked + 1).find(({ role }) => role === 'assistant')?.content[0];
  if (first && first.type !== 'thinking' && first.type !== 'redacted_thinking')
    problems.push(`expected thinking, found ${first.type}`);
  return problems;
}

type Messages = z.infer<typeof requestSchema>['messages'];

/** "roles must alternate", the first one is the user's, and the message behind tool_use blocks begins with exactly their results. */
function orderProblems(messages: Messages): string[] {
  const problems: string[] = [];
  const ids = messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool_use' ? [part.id] : [])));
  if (new Set(ids).size < ids.length) problems.push('`tool_use` ids must be unique');
  if (messages[0]?.role !== 'user') problems.push('the first message is not the user’s');
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (index > 0 && messages[index - 1]?.role === role) problems.push(`messages.${index}: roles must alternate`);
    const results = content.flatMap((part) => (part.type === 'tool_result' ? [part.tool_use_id] : []));
    if (results.toSorted().join() !== open.toSorted().join())
      problems.push(`messages.${index}: results of ${open.join()} are not ${results.join()}`);
    if (results.length > 0 && content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      problems.push(`messages.${index}: tool_result blocks come first`);
    open = content.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []));
    if (role === 'user' && open.length > 0) problems.push(`messages.${index}: tool_use of a user`);
  }
  if (open.length > 0) problems.push(`tool_use ${open.join()} without a result`);
  return problems;
}
