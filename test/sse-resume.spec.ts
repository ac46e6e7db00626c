import { afterAll, beforeAll, expect } from 'vitest';
import { startModelServer, type ModelScript, type ModelServer, type ModelServerRequest } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { SseClient, textOf, type SseEvent } from './sse-client.js';

const TOKEN = 'test-admin-token-0000';
const ROUNDS = 2;
const WORDS = 60;
/** Deltas the client has seen when the first process dies: the stream is then well under way. */
const DELTAS_BEFORE = 3;
/** The step that is spoken slowly, as events count them; two with sends come before it. */
const SLOW = 3;

let redis: RedisServer;
let model: ModelServer;
let fleet: Fleet;

beforeAll(async () => {
  [redis, model] = await Promise.all([startRedis(), startModelServer({ answer })]);
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: model.baseUrl, toolUrl: 'http://127.0.0.1:1' });
  await Promise.all([fleet.start('ingress', 2), fleet.start('runner', 2), fleet.start('dispatcher')]);
});
afterAll(async () => {
  await fleet?.close();
  await model?.close();
  await redis?.stop();
});

/** Two reports, then a slow answer. Each time it is asked for the answer its words are others. */
function answer(request: ModelServerRequest): ModelScript {
  const { text, step } = about(request);
  const send = (content: string) => ({ name: 'message', arguments: { content } });
  if (step === 1) return { toolCalls: [send('on it')] };
  if (step === 2) return { text: 'half way there', toolCalls: [send('half way')] };
  const time = asked(text, SLOW).length;
  return { text: Array.from({ length: WORDS }, (_, word) => `${time}.${word}`).join(' '), chunkDelayMs: 40 };
}

function about({ messages }: ModelServerRequest): { text: string; step: number } {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const step = messages.slice(last).filter(({ role }) => role === 'assistant').length + 1;
  return { text: String(messages[last]?.content), step };
}

/** The questions of a step, by the process that asked. */
function asked(wanted: string, wantedStep: number): string[] {
  const calls = model.calls.map(({ body, authorization }) => ({
    ...about(body),
    process: String(authorization?.replace('Bearer ', '')),
  }));
  return calls.filter(({ text, step }) => text === wanted && step === wantedStep).map(({ process }) => process);
}

interface CutStream {
  session: string;
  text: string;
  seen: SseEvent[];
}

async function open(ingress: string, session: string, text: string, lastEventId?: string): Promise<SseClient> {
  const headers = { 'idempotency-key': `key of ${session}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  return SseClient.open(`${ingress}/api/sessions/${session}/invoke`, TOKEN, { body: { message: text }, headers });
}

/** An invoke on the first ingress, read until the last step's text is on its way; then that ingress is killed. */
async function cutInMidStream(session: string): Promise<CutStream> {
  const text = `tell ${session}`;
  const [first] = fleet.of('ingress');
  if (!first) throw new Error('no ingress runs');
  const client = await open(first.url, session, text);
  const seen = await untilSpoken(client);
  fleet.kill(first);
  for (let event = await client.next(); event; event = await client.next()) seen.push(event);
  await first.exited;
  return { session, text, seen };
}

async function untilSpoken(client: SseClient): Promise<SseEvent[]> {
  const seen: SseEvent[] = [];
  while (seen.filter(({ event, data }) => event === 'text.delta' && data.step === SLOW).length < DELTAS_BEFORE)
    await client.until('text.delta', seen);
  return seen;
}

/** The same request on the other ingress, behind what the client had. */
async function resume({ session, text, seen }: CutStream): Promise<SseEvent[]> {
  const [other] = fleet.of('ingress');
  const client = await open(other?.url ?? '', session, text, seen.findLast(({ id }) => id !== undefined)?.id);
  return client.until('done');
}

/** What the session holds once its turn has ended. */
async function transcriptOf(session: string): Promise<{ role: string; text: string }[]> {
  const [other] = fleet.of('ingress');
  const response = await fetch(`${other?.url}/api/sessions/${session}/messages`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return ((await response.json()) as { messages: { role: string; text: string }[] }).messages;
}

/** No event twice, no token twice, no message twice; what the client shows at the end is what the session keeps. */
async function expectWhole({ session }: CutStream, events: SseEvent[]): Promise<void> {
  const twice = (names: string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);
  const deltas = events.filter(({ event }) => event === 'text.delta');
  const messages = events.filter(({ event }) => event === 'message');
  expect(twice(events.flatMap(({ id }) => id ?? []))).toEqual([]);
  expect(twice(deltas.map(({ data }) => `${String(data.step)}/${String(data.offset)}/${String(data.fence)}`))).toEqual([]);
  expect(messages.map(({ data }) => [data.text, data.sequenceInTurn])).toEqual([
    ['on it', 1],
    ['half way there', 2],
    ['half way', 3],
    [expect.stringMatching(/^\d\.0 \d\.1 /), 4],
  ]);
  const done = events.at(-1)?.data;
  const spoken = deltas.filter(({ data }) => data.step === SLOW && data.fence === deltas.at(-1)?.data.fence);
  const kept = (await transcriptOf(session)).at(-1);
  expect(done).toMatchObject({ outcome: 'answered', text: kept?.text });
  expect(textOf(spoken)).toBe(kept?.text);
  expect(messages.at(-1)?.data.text).toBe(kept?.text);
}

proves(
  ['IN-5', 'IN-4', 'OUT-3'],
  'the ingress is killed in mid-stream: the same request on another goes on behind Last-Event-ID, no token and no message twice',
  async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const cut = await cutInMidStream(`ingress-dies-${round}`);
      const rest = await resume(cut);
      expect(rest.map(({ event }) => event)).not.toContain('turn.start');
      const events = [...cut.seen, ...rest];
      await expectWhole(cut, events);
      expect(textOf(events.filter(({ data }) => data.step === SLOW))).toBe(events.at(-1)?.data.text);
      expect([1, 2, SLOW].map((step) => asked(cut.text, step).length)).toEqual([1, 1, 1]);
      await fleet.start('ingress');
    }
  },
);

proves(
  ['IN-5', 'IN-4', 'OUT-3', 'TU-1'],
  'the runner is killed too: the text begins again under a higher fence, and what is shown at the end is the transcript',
  async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const cut = await cutInMidStream(`both-die-${round}`);
      killRunnerOf(cut.text);
      const events = [...cut.seen, ...(await resume(cut))];
      await expectWhole(cut, events);
      expectSecondAttempt(cut.text, events);
      await Promise.all([fleet.start('ingress'), fleet.start('runner')]);
    }
  },
);

proves(['IN-5', 'OUT-3', 'TU-1'], 'only the runner is killed: a client that stays sees the answer begin again', async () => {
  const [session, text] = ['runner-dies', 'tell runner-dies'];
  const client = await open(fleet.of('ingress')[0]?.url ?? '', session, text);
  const seen = await untilSpoken(client);
  killRunnerOf(text);
  const events = await client.until('done', seen);
  await expectWhole({ session, text, seen }, events);
  expectSecondAttempt(text, events);
});

function killRunnerOf(text: string): void {
  const [name] = asked(text, SLOW);
  const runner = fleet.of('runner').find((member) => member.name === name);
  if (!runner) throw new Error(`no runner is called ${name}`);
  fleet.kill(runner);
}

function expectSecondAttempt(text: string, events: SseEvent[]): void {
  expect(events.at(-1)?.data.text).toMatch(/^2\.0 /);
  expect(new Set(events.flatMap(({ data }) => data.fence ?? [])).size).toBe(2);
  expect([1, 2, SLOW].map((step) => asked(text, step).length)).toEqual([1, 1, 2]);
}
