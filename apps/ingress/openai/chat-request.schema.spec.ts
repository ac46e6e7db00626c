import { expect, test } from 'vitest';
import { chatRequestSchema } from './chat-request.schema.js';
import { responsesRequestSchema } from './responses-request.schema.js';

const said = [{ role: 'user', content: 'x' }];
const chat = (more: object) => chatRequestSchema.safeParse({ model: 'main', messages: said, ...more });
const respond = (more: object) => responsesRequestSchema.safeParse({ model: 'main', input: 'x', ...more });
const faultsOf = ({ error }: { error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined }) =>
  (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
const content = (...parts: object[]) => chat({ messages: [{ role: 'user', content: parts }] });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });

test.each([
  { tools: [{}] },
  { functions: [{}] },
  { tool_choice: 'required' },
  { function_call: { name: 'f' } },
  { web_search_options: {} },
  { n: 2 },
  { logprobs: true },
  { top_logprobs: 3 },
  { audio: { voice: 'alloy', format: 'wav' } },
  { modalities: ['text', 'audio'] },
  { response_format: { type: 'json_object' } },
  { text: { format: { type: 'json_schema' } } },
  { background: true },
  { conversation: 'conv_1' },
  { prompt: { id: 'p' } },
])('IN-9 %j is refused by name, in both APIs', (option) => {
  const [name = ''] = Object.keys(option);
  for (const faults of [faultsOf(chat(option)), faultsOf(respond(option))])
    expect(faults).toMatch(new RegExp(`^${name} is refused`));
});

test('IN-9 the same options are taken where they ask for nothing, and all others are ignored', () => {
  const nothing = {
    tools: [],
    tool_choice: 'auto',
    n: 1,
    logprobs: false,
    modalities: ['text'],
    response_format: { type: 'text' },
    audio: null,
  };
  const text = { text: { verbosity: 'low' }, background: false };
  for (const taken of [chat(nothing), respond({ ...nothing, ...text }), chat({ temperature: 1, stop: ['x'], of_tomorrow: {} })])
    expect(faultsOf(taken)).toBe('');
});

test('IN-9 tool messages and calls are refused with the reason, in both APIs', () => {
  const calls = { role: 'assistant', content: null, tool_calls: [{}] };
  expect(faultsOf(chat({ messages: [{ role: 'tool', tool_call_id: '1', content: 'x' }, ...said] }))).toMatch(
    /tools run at the agent/,
  );
  expect(faultsOf(chat({ messages: [calls, ...said] }))).toMatch(/tools run at the agent/);
  expect(faultsOf(respond({ input: [{ type: 'function_call_output', call_id: '1', output: 'x' }] }))).toMatch(
    /send messages only/,
  );
});

test('IN-9 files are links or small data: URLs; what cannot be kept is refused with the reason', () => {
  expect(faultsOf(content(image('https://example.org/a.png'), image('data:image/png;base64,AAAA')))).toBe('');
  expect(faultsOf(content(image('file:///etc/passwd')))).toMatch(/neither an http\(s\) nor a data: URL/);
  expect(faultsOf(content(image(`data:image/png;base64,${'A'.repeat(600_000)}`)))).toMatch(/too long/);
  expect(faultsOf(content(image(`https://example.org/${'a'.repeat(2100)}`)))).toMatch(/too long/);
  expect(faultsOf(content({ type: 'file', file: { file_id: 'file-1' } }))).toMatch(/no file store/);
  expect(faultsOf(content({ type: 'input_audio', input_audio: {} }))).toMatch(/is no content an agent takes/);
  expect(faultsOf(content({ type: 'text', text: 'a\u0000' }))).toMatch(/null byte/);
});
