import { once } from 'node:events';
import { afterAll, beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import type { TurnEvent } from '#contracts';
import type { RunningApp } from '#host';
import { StageModel } from './fakes/stage-model.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { ADMIN_TOKEN, ANN_TOKEN, startIngress, startWorkers, type IngressProcess } from './webchat-world.js';

let redis: RedisServer;
let ingress: IngressProcess;
let workers: RunningApp;
let model: StageModel;

beforeAll(async () => {
  [redis, model] = await Promise.all([startRedis(), StageModel.start()]);
  [ingress, workers] = await Promise.all([startIngress(redis.url), startWorkers(redis.url, model)]);
});

afterAll(async () => {
  await Promise.all([ingress.stop(), workers.stop(AbortSignal.timeout(1))]);
  await Promise.all([redis.stop(), model.stop()]);
});

interface Frame {
  type: string;
  id?: string;
  cursor: string;
  event: TurnEvent;
  [field: string]: unknown;
}

/** A client that waits for frames by what they are. */
class Client {
  readonly frames: Frame[] = [];
  private readonly socket: WebSocket;
  private wake: () => void = () => undefined;
  readonly closed: Promise<number>;

  constructor(url = ingress.url) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    this.socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as Frame);
      this.wake();
    });
    this.closed = once(this.socket, 'close').then(([code]) => code as number);
  }

  async write(...frames: (object | string)[]): Promise<void> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    for (const frame of frames) this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  async until(is: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(is);
      if (found) return found;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  events(): TurnEvent[] {
    return this.frames.flatMap(({ type, event }) => (type === 'event' ? event : []));
  }

  close(): void {
    this.socket.close();
  }
}

const isHistory = ({ type }: Frame): boolean => type === 'history';
const isEvent =
  (kind: TurnEvent['type'], text?: string) =>
  (frame: Frame): boolean =>
    frame.type === 'event' &&
    frame.event.type === kind &&
    (text === undefined || ('text' in frame.event && frame.event.text === text));

async function enter(session: string, more: object = {}): Promise<Client> {
  const client = new Client();
  await client.write({ type: 'auth', token: ADMIN_TOKEN, session, ...more });
  await client.until(isHistory);
  return client;
}

proves('IN-6', 'nothing is answered before the auth frame; a wrong token closes with 4401', async () => {
  const early = new Client();
  await early.write({ type: 'send', id: 'a', text: 'hello' });
  expect(await early.closed).toBe(4401);
  const wrong = new Client();
  await wrong.write({ type: 'auth', token: 'not-a-token-of-anybody' });
  expect(await wrong.closed).toBe(4401);
  expect([...early.frames, ...wrong.frames].map(({ type }) => type)).toEqual(['error', 'error']);
});

proves(['IN-5', 'TN-1'], 'a foreign session closes with 4403; without a name it is the own one', async () => {
  const foreign = new Client();
  await foreign.write({ type: 'auth', token: ANN_TOKEN, session: 'support' });
  expect(await foreign.closed).toBe(4403);
  const own = new Client();
  await own.write({ type: 'auth', token: ANN_TOKEN });
  expect(await own.until(isHistory)).toMatchObject({ session: 'ann', turns: [], reset: true });
  own.close();
});

proves('IN-6', 'what is no frame closes with 1008', async () => {
  for (const junk of ['{', '{"type":"dance"}', '[]', JSON.stringify({ type: 'auth', token: ADMIN_TOKEN, tenant: 'other' })]) {
    const client = new Client();
    await client.write(junk);
    expect(await client.closed).toBe(1008);
  }
});

proves(
  ['IN-3', 'IN-4'],
  'a message is acknowledged when it is stored; the same id again is a duplicate with the same answer',
  async () => {
    const client = await enter('twice');
    await client.write(
      { type: 'send', id: 'one', text: 'hello' },
      { type: 'send', id: 'one', text: 'hello' },
      { type: 'send', id: 'one', text: 'other' },
    );
    const error = await client.until(({ type }) => type === 'error');
    const acks = client.frames.filter(({ type }) => type === 'ack');
    expect(acks).toMatchObject([
      { id: 'one', sequence: 1, duplicate: false },
      { id: 'one', sequence: 1, duplicate: true, messageId: acks[0]?.messageId },
    ]);
    expect(error).toMatchObject({ id: 'one', problem: { status: 422 } });
    const speech = await model.next();
    speech.say('hello');
    speech.end();
    await client.until(isEvent('message', 'hello'));
    client.close();
  },
);

proves('IN-3', 'frames are taken one after the other, also those sent right behind auth', async () => {
  const client = new Client();
  const ids = ['a', 'b', 'c', 'd'];
  await client.write(
    { type: 'auth', token: ADMIN_TOKEN, session: 'order' },
    ...ids.map((id) => ({ type: 'send', id, text: id })),
  );
  await client.until(({ id }) => id === 'd');
  const acks = client.frames.filter(({ type }) => type === 'ack').map(({ id, sequence }) => [id, sequence]);
  expect(acks).toEqual(ids.map((id, index) => [id, index + 1]));
  await model.next();
  await client.write({ type: 'send', id: 'stop', text: '/stop' });
  expect(await client.until(({ id }) => id === 'stop')).toMatchObject({ type: 'ack', command: 'stop' });
  const ended = (): string[] => client.events().flatMap((event) => (event.type === 'turn.end' ? event.messages : []));
  await client.until(() => ended().length === ids.length);
  client.close();
});

proves(
  'OUT-3',
  'tokens, tools, sends and the end of a turn come as events; a new connection finds it all in the history',
  async () => {
    const client = await enter('live');
    await client.write({ type: 'send', id: 'q1', text: 'look it up' });
    const first = await model.next();
    first.say('Let me ');
    first.say('look.');
    first.call('demo_search', { query: 'x' });
    first.call('message', { content: 'half way' });
    first.end();
    const second = await model.next();
    second.say('Here ');
    await client.until(isEvent('text.delta', 'Here '));
    second.say('it is.');
    second.end();
    await client.until(isEvent('message', 'Here it is.'));
    const delivered = client.events().flatMap((event) => (event.type === 'message' ? [[event.deliveryMode, event.text]] : []));
    expect(delivered).toEqual([
      ['narration', 'Let me look.'],
      ['immediate', 'half way'],
      ['final', 'Here it is.'],
    ]);
    client.close();
    const later = await enter('live');
    expect(later.frames[0]).toMatchObject({
      turns: [
        {
          outcome: 'answered',
          inputs: [{ text: 'look it up' }],
          entries: [
            { mode: 'narration', text: 'Let me look.' },
            { kind: 'tool', name: 'demo_search', state: 'done' },
            { mode: 'immediate', text: 'half way' },
            { mode: 'final', text: 'Here it is.' },
          ],
        },
      ],
    });
    later.close();
  },
);

proves('IN-5', 'a connection that comes back behind its cursor gets what it missed, once', async () => {
  const before = await enter('back');
  await before.write({ type: 'send', id: 'q', text: 'count' });
  const speech = await model.next();
  speech.say('one ');
  const { cursor } = await before.until(isEvent('text.delta', 'one '));
  before.close();
  await before.closed;
  speech.say('two');
  speech.end();
  const after = await enter('back', { after: cursor });
  await after.until(isEvent('message', 'one two'));
  expect(after.events().map(({ type }) => type)).toEqual(['text.delta', 'turn.end', 'message']);
  after.close();
});

proves('IN-5', 'a page that opens in the middle of a turn sees what was written so far', async () => {
  const first = await enter('middle');
  await first.write({ type: 'send', id: 'q', text: 'tell me' });
  const speech = await model.next();
  speech.say('so far');
  await first.until(isEvent('text.delta', 'so far'));
  const second = await enter('middle');
  await second.until(isEvent('text.delta', 'so far'));
  speech.end();
  await second.until(isEvent('message', 'so far'));
  first.close();
  second.close();
});

proves('QU-3', 'stop ends the running turn and what it wrote is kept, marked', async () => {
  const client = await enter('stop');
  await client.write({ type: 'send', id: 'q', text: 'a long story' });
  const speech = await model.next();
  speech.say('Once upon');
  await client.until(isEvent('text.delta'));
  await client.write({ type: 'stop' });
  const end = await client.until(isEvent('turn.end'));
  expect(end.event).toMatchObject({ outcome: 'cancelled' });
  client.close();
  const later = await enter('stop');
  expect(later.frames[0]).toMatchObject({ turns: [{ outcome: 'cancelled', entries: [{ text: 'Once upon', partial: true }] }] });
  later.close();
});

proves('IN-6', 'text that the HTTP API refuses is refused here, and the connection goes on', async () => {
  const client = await enter('refused');
  await client.write(
    { type: 'send', id: 'empty', text: '' },
    { type: 'send', id: 'null', text: 'a\u0000b' },
    { type: 'send', id: 'long', text: 'x'.repeat(100_001) },
  );
  const last = await client.until(({ id }) => id === 'long');
  expect(
    client.frames.filter(({ type }) => type === 'error').map(({ problem }) => (problem as { status: number }).status),
  ).toEqual([400, 400, 400]);
  expect(last.type).toBe('error');
  client.close();
});
