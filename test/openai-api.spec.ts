import type { OpenAI } from 'openai';
import { afterAll, beforeAll, expect } from 'vitest';
import { TOKEN } from './ingress-world.js';
import { OpenAiWorld, refused } from './openai-world.js';
import { proves } from './proves.js';

let world: OpenAiWorld;
let ann: OpenAI;

beforeAll(async () => {
  world = await OpenAiWorld.start();
  ann = world.client(TOKEN.ann);
}, 60_000);
afterAll(() => world?.close());

const at = (session: string) => ({ headers: { 'x-turnpike-session': session } });
const ask = (content: string, session?: string) =>
  ann.chat.completions.create({ model: 'main', messages: [{ role: 'user', content }] }, session === undefined ? {} : at(session));

/** What the model read, as its own answer tells. */
function read(text: string | null | undefined): [role: string, content: string][] {
  return JSON.parse(text ?? '') as [string, string][];
}
const textOf = (completion: OpenAI.ChatCompletion) => completion.choices[0]?.message.content;

proves('IN-9', 'models are the agents that a token may use', async () => {
  const idsOf = async (token: string) => (await world.client(token).models.list()).data.map(({ id }) => id);
  expect(await Promise.all([TOKEN.ann, TOKEN.eve, TOKEN.desk].map(idsOf))).toEqual([['main'], ['main', 'helper'], ['main']]);
  expect(await world.client(TOKEN.eve).models.retrieve('turnpike/helper')).toEqual({
    id: 'helper',
    object: 'model',
    created: 0,
    owned_by: 'acme',
  });
  for (const unknown of [
    ann.models.retrieve('helper'),
    ann.chat.completions.create({ model: 'helper', messages: [{ role: 'user', content: 'x' }] }),
  ])
    expect(await refused(unknown)).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      type: 'invalid_request_error',
    });
});

proves('IN-9', 'a client that sends its whole conversation is answered from it, and nothing is doubled', async () => {
  const first = await ask('one');
  expect(first).toMatchObject({ object: 'chat.completion', model: 'main', choices: [{ index: 0, finish_reason: 'stop' }] });
  expect(read(textOf(first))).toEqual([['user', 'one']]);
  const second = await ann.chat.completions.create({
    model: 'turnpike/main',
    temperature: 0.2,
    max_tokens: 5,
    tools: [],
    messages: [
      { role: 'system', content: 'Rhyme.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: [{ type: 'text', text: 'two' }] },
      { role: 'user', content: 'three' },
    ],
  });
  const [asked, said, now] = read(textOf(second));
  expect([asked, said]).toEqual([
    ['user', 'one'],
    ['assistant', 'first'],
  ]);
  expect(now?.[1]).toMatch(/^\[Instructions of the application[^]*\nRhyme\.\n\[End[^]*\]\ntwo\n\nthree$/);
});

proves(
  ['IN-9', 'IN-5'],
  'in a named session the stored conversation counts, by header or user; the rest of the API has it, too',
  async () => {
    await ask('one', 'named');
    const whole = [
      { role: 'user' as const, content: 'a lie' },
      { role: 'assistant' as const, content: 'another' },
      { role: 'user' as const, content: 'two' },
    ];
    const { data, response } = await ann.chat.completions
      .create({ model: 'main', user: 'named', messages: whole })
      .withResponse();
    expect(response.headers.get('x-turnpike-session')).toBe('default.main.webchat.default.direct.named');
    expect(read(textOf(data)).map(([, content]) => content)).toEqual(['one', '[["user","one"]]', 'two']);
    const { body } = await world.ingress.call('GET', '/api/sessions/named/messages', { token: TOKEN.ann });
    expect((body.messages as { text: string }[]).map(({ text }) => text)).toEqual([
      'one',
      '[["user","one"]]',
      'two',
      textOf(data),
    ]);
  },
);

proves(
  ['IN-9', 'TN-1', 'IN-6'],
  'a session of others, a token that is unknown and a wrong body are told in the words of OpenAI',
  async () => {
    const acme = { ...at('acme.main.webchat.default.direct.x') };
    const messages = [{ role: 'user' as const, content: 'x' }];
    expect(await refused(ann.chat.completions.create({ model: 'main', messages }, acme))).toMatchObject({
      status: 403,
      code: 'foreign_session',
      type: 'permission_error',
    });
    expect(
      await refused(world.client(TOKEN.desk).chat.completions.create({ model: 'main', messages, user: 'other' })),
    ).toMatchObject({
      status: 403,
    });
    expect(await refused(world.client('nobody').models.list())).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(await refused(ann.get('/nothing'))).toMatchObject({ status: 404, code: 'no_such_route' });
    const eve = world
      .client(TOKEN.eve)
      .chat.completions.create({ model: 'helper', messages }, at('acme.main.webchat.default.direct.x'));
    expect(await refused(eve)).toMatchObject({ status: 400, code: 'session_of_another_agent' });
    const tools = [{ type: 'function' as const, function: { name: 'f' } }];
    expect(await refused(ann.chat.completions.create({ model: 'main', messages, tools }))).toMatchObject({
      status: 400,
      param: 'tools',
      message: expect.stringMatching(/configured at the agent/),
    });
    const unasked = [...messages, { role: 'assistant' as const, content: 'x' }];
    expect((await refused(ann.chat.completions.create({ model: 'main', messages: unasked }))).message).toMatch(
      /must end with a message of the user/,
    );
  },
);

proves(
  ['IN-9', 'T17'],
  'a stream has the role, the words as they come, what was sent on the way in its place, usage and an end',
  async () => {
    world.scripts.set('work', [
      { text: 'I look.', toolCalls: [{ name: 'message', arguments: { content: 'on it' } }] },
      { text: 'this answer comes in many pieces, one behind the other', chunkDelayMs: 60 },
    ]);
    const whole = 'I look.\n\non it\n\nthis answer comes in many pieces, one behind the other';
    expect(textOf(await ask('work'))).toBe(whole);
    const stream = await ann.chat.completions.create({
      model: 'main',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'work' }],
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]).toMatchObject({ delta: { role: 'assistant', content: '' }, finish_reason: null });
    const words = chunks.flatMap(({ choices }) => choices[0]?.delta.content || []);
    expect(words.join('')).toBe(whole);
    expect(words.length).toBeGreaterThan(4);
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  },
);

proves('IN-9', 'responses: whole, streamed as its events, and gone on with by previous_response_id', async () => {
  const first = await ann.responses.create({ model: 'main', instructions: 'Rhyme.', input: 'one', store: false });
  expect(first).toMatchObject({ object: 'response', status: 'completed', error: null });
  expect(read(first.output_text)[0]?.[1]).toMatch(/Rhyme\.[^]*one$/);
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  const stream = ann.responses.stream({
    model: 'main',
    input: [{ role: 'user', content: 'two' }],
    previous_response_id: first.id,
  });
  for await (const event of stream) events.push(event);
  const final = await stream.finalResponse();
  expect(read(final.output_text).map(([, content]) => content)).toEqual(['one', first.output_text, 'two']);
  expect(final.previous_response_id).toBe(first.id);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const types = events.map(({ type }) => type).filter((type) => type !== 'response.output_text.delta');
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  for (const [id, status] of [
    ['resp_unknown', 400],
    [first.id.replace('.once', '.twice'), 400],
    [first.id.replace(/\.default\.main/, '.acme.main'), 403],
  ] as const) {
    const error = await refused(ann.responses.create({ model: 'main', input: 'x', previous_response_id: id }));
    expect([id, error.status]).toEqual([id, status]);
  }
  const session = first.id.slice(first.id.indexOf('.') + 1);
  const { keyspace, request } = world.ingress.parts.platform;
  const ttls = await Promise.all(
    [keyspace.head(session as never), keyspace.transcript(session as never)].map((key) => request.pttl(key)),
  );
  for (const ttl of ttls) expect(ttl).toBeGreaterThan(6 * 86_400_000);
});

proves(['IN-9', 'G2'], 'two requests of one session at once are answered in order, each with its own text', async () => {
  world.scripts.set('slow', [{ text: 'slow answer', delayMs: 300 }]);
  world.scripts.set('fast', [{ text: 'fast answer' }]);
  const slow = ask('slow', 'shared');
  await world.runs('shared');
  const ends: string[] = [];
  const both = [slow, ask('fast', 'shared')].map(async (request) => ends.push(String(textOf(await request))));
  await Promise.all(both);
  expect(ends).toEqual(['slow answer', 'fast answer']);
});

proves(['IN-9', 'IN-4'], 'the same request with its Idempotency-Key is one message, also where no session is named', async () => {
  const body = { model: 'main', messages: [{ role: 'user' as const, content: 'only once' }] };
  const before = world.model.calls.length;
  const key = { headers: { 'idempotency-key': 'openai 1' } };
  const [first, again] = [await ann.chat.completions.create(body, key), await ann.chat.completions.create(body, key)];
  expect(again.id).toBe(first.id);
  expect(textOf(again)).toBe(textOf(first));
  expect(world.model.calls.length - before).toBe(1);
});

proves(['IN-9', 'TU-7'], 'a turn that asks a person ends the text with how to answer; the answer takes it up', async () => {
  world.scripts.set('choose', [
    { toolCalls: [{ name: 'ask_user', arguments: { question: 'Red or blue?' } }] },
    { text: 'painted' },
  ]);
  const question = textOf(await ask('choose', 'parks')) ?? '';
  expect(question).toMatch(/^Red or blue\?\n\nAnswer with \/answer \w{6} and your answer\.$/);
  const answered = await ask(`/answer ${/\/answer (\w{6})/.exec(question)?.[1]} red`, 'parks');
  expect(textOf(answered)).toMatch(/goes on/);
  const fresh = await ann.responses.create({ model: 'main', input: 'choose' });
  expect(fresh.output_text).toMatch(
    /and your answer\.\n\nSend it in this conversation, with the header x-turnpike-session: default\.main\./,
  );
  expect(textOf(await ask('/whoami'))).toMatch(/ann/);
});

proves(
  ['IN-9', 'QU-3', 'TU-8'],
  'a turn that fails or is stopped is an error that no client repeats by itself, also in a stream',
  async () => {
    world.scripts.set('too much', [{ status: 400, errorCode: 'context_length_exceeded' }]);
    world.scripts.set('refused key', [{ status: 401 }]);
    expect(await refused(ask('too much'))).toMatchObject({ status: 400, code: 'context_length_exceeded' });
    expect(await refused(ask('refused key'))).toMatchObject({ status: 500, type: 'server_error', code: 'auth' });
    const repeating = world.client(TOKEN.ann, 2);
    const before = world.model.calls.length;
    const failing = repeating.chat.completions.create({ model: 'main', messages: [{ role: 'user', content: 'refused key' }] });
    expect((await refused(failing)).headers?.get('x-should-retry')).toBe('false');
    expect(world.model.calls.length - before).toBe(1);
    const stream = await ann.chat.completions.create({
      model: 'main',
      stream: true,
      messages: [{ role: 'user', content: 'refused key' }],
    });
    const words: string[] = [];
    const broken = (async () => {
      for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? '');
    })();
    expect(await refused(broken)).toMatchObject({ code: 'auth', message: expect.stringMatching(/cannot answer/) });
    expect(words.join('')).toBe('');
    const response = await ann.responses.create({ model: 'main', stream: true, input: 'refused key' });
    const types: string[] = [];
    for await (const event of response) types.push(event.type);
    expect(types.at(-1)).toBe('response.failed');
    world.scripts.set('long', [{ hang: true }]);
    const stopped = refused(ask('long', 'stopped'));
    await world.runs('stopped');
    await world.ingress.call('DELETE', '/api/sessions/stopped/turns/current', { token: TOKEN.ann });
    expect(await stopped).toMatchObject({ status: 409, code: 'turn_cancelled' });
  },
);

proves(['IN-9', 'QU-3'], 'a client that hangs up cancels its turn where it asked for that', async () => {
  world.scripts.set('left', [{ hang: true }]);
  const calls = world.model.calls.length;
  const gone = new AbortController();
  const request = ann.chat.completions.create(
    { model: 'main', messages: [{ role: 'user', content: 'left' }] },
    { ...at('left'), query: { onDisconnect: 'cancel' }, signal: gone.signal },
  );
  const call = await world.model.called(calls + 1);
  gone.abort();
  await expect(request).rejects.toThrow();
  await call.ended;
  expect(call.aborted).toBe(true);
});

proves(['IN-9', 'IN-2'], 'images and files come along as media: links and small data: URLs', async () => {
  const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } });
  const looks = (content: OpenAI.ChatCompletionContentPart[]) =>
    ann.chat.completions.create({ model: 'main', messages: [{ role: 'user', content }] });
  const text = { type: 'text' as const, text: 'what is this?' };
  const file = { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } };
  const seen = read(textOf(await looks([text, image('https://example.org/a.png'), image('data:image/png;base64,AAAA'), file])));
  expect(seen[0]?.[1]).toMatch(
    /^what is this\?\n\[image\]\n\[image\]\n\[file: .*a\.pdf.*\]\n\[Image 1 is not shown.*\n\[Image 2 is not/,
  );
});
