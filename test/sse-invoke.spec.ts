import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { SessionKey } from '#kernel';
import { startIngressWorld, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import type { RedisServer } from './redis-server.js';
import { SseClient, textOf } from './sse-client.js';
import { startStageWorld } from './stage-world.js';
import type { StageModel } from './fakes/stage-model.js';
import { waitUntil } from './harness/wait-until.js';

let redis: RedisServer;
let world: IngressWorld;
let model: StageModel;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ redis, ingress: world, model, close } = await startStageWorld());
});
afterAll(() => close());

const keyOf = (name: string) => `default.main.webchat.default.direct.${name}` as SessionKey;
const invoke = (name: string, message: string, key?: string, at = world): Promise<Answer> =>
  at.call('POST', `/api/sessions/${name}/invoke`, {
    token: TOKEN.ann,
    body: { message },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const stream = (name: string, message: string, headers: Record<string, string> = {}, at = world): Promise<SseClient> =>
  SseClient.open(`${at.url}/api/sessions/${name}/invoke`, TOKEN.ann, { body: { message }, headers });

async function anotherIngress(): Promise<IngressWorld> {
  const other = await startIngressWorld(redis.url);
  onTestFinished(() => other.close());
  return other;
}

/** The agent sends one message, then answers. */
async function answerWithProgress(): Promise<void> {
  const first = await model.next();
  first.call('message', { content: 'on it' });
  first.end();
  const second = await model.next();
  second.say('all done');
  second.end();
}

const expectedAnswer = (name: string) => ({
  session: keyOf(name),
  turnId: expect.stringMatching(/^m[\w-]{23}~0$/),
  messageId: expect.stringMatching(/^m[\w-]{23}$/),
  outcome: 'answered',
  text: 'all done',
  usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), estimated: true },
  messages: [
    {
      id: expect.stringMatching(/~0-1$/),
      content: 'on it',
      deliveredAt: expect.any(Number),
      deliveryMode: 'immediate',
      sequenceInTurn: 1,
    },
    {
      id: expect.stringMatching(/~0-2$/),
      content: 'all done',
      deliveredAt: expect.any(Number),
      deliveryMode: 'final',
      sequenceInTurn: 2,
    },
  ],
});

proves(['IN-5', 'T17'], 'invoke waits and answers with the turn and its messages, as they were delivered', async () => {
  const [answer] = await Promise.all([invoke('waits', 'go'), answerWithProgress()]);
  expect(answer).toMatchObject({ status: 200, body: expectedAnswer('waits') });
  const { body } = await world.call('GET', '/api/sessions/waits/messages', { token: TOKEN.ann });
  const said = body.messages as Record<string, unknown>[];
  expect(said.map(({ role, text }) => [role, text])).toEqual([
    ['user', 'go'],
    ['assistant', ''],
    ['tool', expect.any(String)],
    ['assistant', 'all done'],
  ]);
  expect(said[0]).toMatchObject({ turn: answer.body.turnId, at: expect.any(Number) });
  expect((await world.call('GET', '/api/sessions/waits/messages?last=1', { token: TOKEN.ann })).body.messages).toEqual(
    said.slice(-1),
  );
});

proves(
  ['IN-5', 'B001'],
  'as a stream each send is an event when it is made, and the last event is the waiting answer',
  async () => {
    const client = await stream('streams', 'go');
    const first = await model.next();
    first.call('message', { content: 'on it' });
    first.end();
    const early = await client.until('message');
    expect(early.map(({ event }) => event)).toEqual(['turn.start', 'tool.draft', 'tool.start', 'message']);
    expect(early.at(-1)?.data).toMatchObject({ text: 'on it', deliveryMode: 'immediate', sequenceInTurn: 1 });
    const second = await model.next();
    second.say('all ');
    second.say('done');
    second.end();
    const rest = await client.until('done');
    expect(textOf(rest)).toBe('all done');
    expect(rest.at(-1)?.data).toEqual(expectedAnswer('streams'));
    expect(await client.next()).toBeUndefined();
    expect([...early, ...rest.slice(0, -1)].every(({ id }) => /^\d+-\d+$/.test(id ?? ''))).toBe(true);
  },
);

proves(
  ['IN-5', 'IN-4', 'OUT-3'],
  'the ingress stops in mid-stream: the same request on another goes on behind Last-Event-ID, no token twice',
  async () => {
    const [dying, other] = [await startIngressWorld(redis.url), await anotherIngress()];
    const headers = { 'idempotency-key': 'resumed 1' };
    const before = await stream('resumed', 'tell', headers, dying);
    const speech = await model.next();
    speech.say('one ');
    const seen = await before.until('text.delta');
    await dying.close();
    expect(await before.next()).toBeUndefined();
    speech.say('two ');
    const after = await stream('resumed', 'tell', { ...headers, 'last-event-id': seen.at(-1)?.id ?? '' }, other);
    speech.say('three');
    speech.end();
    const rest = await after.until('done');
    expect(rest.map(({ event }) => event)).not.toContain('turn.start');
    expect(textOf([...seen, ...rest])).toBe('one two three');
    const { body } = await other.call('GET', '/api/sessions/resumed/messages', { token: TOKEN.ann });
    expect((body.messages as { text: string }[]).at(-1)?.text).toBe('one two three');
  },
);

proves(
  ['IN-4', 'IN-5', 'B094'],
  'a retry that comes after the end gets the same answer: from its events, later from the transcript',
  async () => {
    const [first] = await Promise.all([invoke('late', 'go', 'late 1'), answerWithProgress()]);
    const other = await anotherIngress();
    expect(await invoke('late', 'go', 'late 1', other)).toMatchObject({ status: 200, body: first.body });
    const client = await stream('late', 'go', { 'idempotency-key': 'late 1' }, other);
    expect((await client.until('done')).at(-1)?.data).toEqual(first.body);
    const { keyspace, request } = world.parts.platform;
    await request.del(keyspace.events(keyOf('late')));
    expect(await invoke('late', 'go', 'late 1')).toMatchObject({ status: 200, body: { ...first.body, messages: [] } });
    expect((await world.call('GET', '/api/sessions/late', { token: TOKEN.ann })).body).toMatchObject({
      session: keyOf('late'),
      accepted: 1,
      waiting: 0,
      oldestWaitingMs: null,
      running: null,
      runningMs: null,
    });
  },
);

proves(
  ['IN-4', 'IN-5'],
  'one connection waits for the answer to a key: another is told 409 until that one is gone, then goes on',
  async () => {
    const other = await anotherIngress();
    const gone = new AbortController();
    const headers = { 'idempotency-key': 'flight 1' };
    const options = { token: TOKEN.ann, body: { message: 'long' }, headers, signal: gone.signal };
    const first = world.call('POST', '/api/sessions/flight/invoke', options).catch((error: Error) => error.name);
    const speech = await model.next();
    const twin = await invoke('flight', 'long', 'flight 1', other);
    expect([twin.status, twin.body.type]).toEqual([409, 'urn:turnpike:problem:in-flight']);
    expect(Number(twin.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await invoke('flight', 'something else', 'flight 1', other)).status).toBe(422);
    gone.abort();
    expect(await first).toBe('AbortError');
    speech.say('at last');
    const again = await waitUntil(
      'the place is free',
      () => stream('flight', 'long', headers, other).catch(() => undefined),
      Boolean,
    );
    speech.end();
    expect((await again?.until('done'))?.at(-1)?.data).toMatchObject({ outcome: 'answered', text: 'at last' });
  },
);

proves('IN-5', 'a client that comes back behind its last event takes the place of the connection that it lost', async () => {
  const other = await anotherIngress();
  const headers = { 'idempotency-key': 'replaced 1' };
  const lost = await stream('replaced', 'tell', headers);
  const speech = await model.next();
  speech.say('one ');
  const seen = await lost.until('text.delta');
  const back = await stream('replaced', 'tell', { ...headers, 'last-event-id': seen.at(-1)?.id ?? '' }, other);
  speech.say('two');
  speech.end();
  expect(textOf([...seen, ...(await back.until('done'))])).toBe('one two');
  lost.close();
});

proves(
  ['QU-3', 'RT-4'],
  'a running turn is stopped from any replica; who waits is told 409, who streams in the last event',
  async () => {
    const other = await anotherIngress();
    const waits = invoke('stopped', 'long', 'stopped 1');
    const speech = await model.next();
    speech.say('I begin');
    const state = await other.call('GET', '/api/sessions/stopped', { token: TOKEN.ann });
    const stopped = await other.call('DELETE', '/api/sessions/stopped/turns/current', { token: TOKEN.ann });
    expect(stopped).toMatchObject({ status: 202, body: { session: keyOf('stopped'), turn: state.body.running } });
    expect(await waits).toMatchObject({
      status: 409,
      body: {
        type: 'urn:turnpike:problem:turn-cancelled',
        outcome: 'cancelled',
        turnId: stopped.body.turn,
        detail: expect.stringMatching(/cancelled/),
      },
    });
    const again = await stream('stopped', 'long', { 'idempotency-key': 'stopped 1' });
    expect((await again.until('done')).at(-1)?.data).toMatchObject({ outcome: 'cancelled' });
  },
);

proves(['IN-5', 'OUT-3'], 'the events of a session are followed across its turns, and resumed by header or query', async () => {
  const url = `${world.url}/api/sessions/followed/events`;
  const follower = await SseClient.open(url, TOKEN.ann);
  await Promise.all([invoke('followed', 'one'), answerWithProgress()]);
  await Promise.all([invoke('followed', 'two'), answerWithProgress()]);
  const events = [...(await follower.until('turn.end')), ...(await follower.until('turn.end'))];
  follower.close();
  const second = events.findLastIndex(({ event }) => event === 'turn.start');
  const id = events[second - 1]?.id ?? '';
  for (const resumed of [
    await SseClient.open(url, TOKEN.ann, { headers: { 'last-event-id': id } }),
    await SseClient.open(`${url}?lastEventId=${id}`, TOKEN.ann),
  ]) {
    expect((await resumed.until('turn.end')).map((event) => event.id)).toEqual(events.slice(second).map((event) => event.id));
    resumed.close();
  }
  expect(
    (await world.call('GET', '/api/sessions/followed/events', { token: TOKEN.ann, headers: { 'last-event-id': 'x' } })).status,
  ).toBe(400);
});

proves('TU-1', 'what a superseded attempt still writes is not shown', async () => {
  const { keyspace, request } = world.parts.platform;
  const write = (event: object) => request.xadd(keyspace.events(keyOf('fenced')), '*', 'e', JSON.stringify(event));
  const delta = (fence: string, text: string) => write({ type: 'text.delta', turn: 't~0', fence, step: 0, offset: 0, text });
  const follower = await SseClient.open(`${world.url}/api/sessions/fenced/events`, TOKEN.ann);
  await delta('9.1.aa', 'old');
  await delta('10.1.bb', 'new');
  await delta('9.1.aa', 'zombie');
  await write({ type: 'turn.end', turn: 't~0', outcome: 'answered', messages: [], rows: [], text: 'new' });
  const seen = await follower.until('turn.end');
  expect(seen.map(({ data }) => data.text)).toEqual(['old', 'new', 'new']);
  follower.close();
});

proves(['IN-5', 'OP-2'], 'an ingress that stops answers who waits with 503 and closes at once', async () => {
  const stopping = await startIngressWorld(redis.url);
  const waits = invoke('handed', 'long', 'handed 1', stopping);
  const speech = await model.next();
  await stopping.close();
  expect(await waits).toMatchObject({ status: 503, body: { detail: expect.stringMatching(/stops/) } });
  const resumed = invoke('handed', 'long', 'handed 1');
  speech.say('still here');
  speech.end();
  expect(await resumed).toMatchObject({ status: 200, body: { text: 'still here' } });
});
