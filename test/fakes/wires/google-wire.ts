import { z } from 'zod';
import { base64, problemsOf, sse, toolName, type Wire, type WireStop } from './wire.js';
import { googleJsonSchema, parametersOf } from './tool-schemas.js';

const STOPS: Record<WireStop, string> = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' };
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
const frame = (parts: object[], rest: object = {}): string =>
  sse({ candidates: [{ index: 0, content: { role: 'model', parts }, ...rest }] });

const part = z.union([
  z.strictObject({ text: z.string().min(1) }),
  z.strictObject({ inlineData: z.strictObject({ mimeType: z.enum(['image/jpeg', 'image/png', 'image/webp']), data: base64 }) }),
  z.strictObject({
    functionCall: z.strictObject({ name: toolName, args: z.record(z.string(), z.unknown()) }),
    thoughtSignature: z.enum(['c2ln', 'skip_thought_signature_validator']).optional(),
  }),
  z.strictObject({ functionResponse: z.strictObject({ name: toolName, response: z.record(z.string(), z.unknown()) }) }),
]);
const requestSchema = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })).min(1),
  systemInstruction: z.looseObject({}).optional(),
  generationConfig: z.looseObject({}).optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: toolName,
            description: z.string(),
            parametersJsonSchema: parametersOf(googleJsonSchema).optional(),
          }),
        ),
      }),
    )
    .optional(),
});

/** `streamGenerateContent?alt=sse` of the Gemini API. */
export const googleWire: Wire = {
  contentType: 'text/event-stream',
  stops: ['stop', 'length', 'refusal'],
  kinds: ['image/jpeg', 'image/png', 'image/webp'],
  opening: () => [],
  text: (text) => frame([{ text }]),
  reasoning: (text) => frame([{ text, thought: true }]),
  streamsCalls: false,
  calls: (calls) => [
    frame(
      calls.map(({ id, name: tool, pieces }, at) => ({
        functionCall: { ...(id && { id }), name: tool, args: JSON.parse(pieces.join('') || '{}') as object },
        ...(at === 0 && { thoughtSignature: 'c2ln' }),
      })),
    ),
  ],
  closing: (stop, usage) => [
    sse({
      candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: STOPS[stop] }],
      ...(usage && { usageMetadata: { promptTokenCount: usage.inputTokens, candidatesTokenCount: usage.outputTokens } }),
    }),
  ],
  keepAlive: sse({ usageMetadata: {} }),
  nothings: [
    sse({}),
    sse({ candidates: [] }),
    sse({ candidates: [{ index: 0 }] }),
    sse({ candidates: [{ index: 0, content: { role: 'model' } }] }),
    frame([]),
    frame([{}]),
    frame([{ text: '' }]),
    frame([{ hunch: 'x' }]),
    sse({ promptFeedback: {} }),
  ],
  error: (status, message) => JSON.stringify({ error: { code: status, message, status: STATUSES[status] ?? 'INTERNAL' } }),
  errorInStream: (message) => `${JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } })}\n\n`,
  problems: (body) => problemsOf(requestSchema, body, ({ contents }) => orderProblems(contents)),
};

type Contents = z.infer<typeof requestSchema>['contents'];

/** "ensure that function call turn comes immediately after a user turn", and as many response parts as call parts behind it. */
function orderProblems(contents: Contents): string[] {
  const problems: string[] = [];
  if (contents[0]?.role !== 'user') problems.push('the first content is not the user’s');
  let open = '';
  for (const [index, { role, parts }] of contents.entries()) {
    const responses = parts.flatMap((each) => ('functionResponse' in each ? [each.functionResponse.name] : []));
    if (responses.join() !== open) problems.push(`contents.${index}: responses ${responses.join()} to calls ${open}`);
    if (responses.length > 0 && responses.length < parts.length) problems.push(`contents.${index}: responses and other parts`);
    if (role === 'model' && contents[index - 1]?.role !== 'user') problems.push(`contents.${index}: two of the model in a row`);
    const signed = parts.find((each) => 'functionCall' in each);
    if (signed && !('thoughtSignature' in signed)) problems.push(`contents.${index}: the first call lacks its thought_signature`);
    open = parts.flatMap((each) => ('functionCall' in each ? [each.functionCall.name] : [])).join();
  }
  if (open !== '') problems.push(`calls ${open} without responses`);
  return problems;
}
