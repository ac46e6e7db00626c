import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { TurnRecord } from '#contracts';
import type { SessionKey } from '#kernel';
import { ChatWorld, generic, shown, waits, WEBHOOK_SECRET, type Line } from './chat-world.js';
import type { Member } from './harness/fleet.js';
import { sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';
import { SseClient } from './sse-client.js';

const TOKEN = 'test-admin-token-0000';
const WITHIN_MS = 1000;
const QUIET_MS = 10_000;
const FLEET = { concurrency: 50, turnsPerSecond: 0 };
/** One delta every 100 ms for 60 s. */
const SLOW_ANSWER = { text: 'twelve chars'.repeat(600), chunkDelayMs: 100 };

let world: ChatWorld;
/** Streams and takes messages. */
let one: Member;
/** Takes the stops. */
let two: Member;
beforeAll(async () => {
  const config = { session: { queue: { debounceMs: QUIET_MS } }, limits: { fleet: FLEET } };
  world = await ChatWorld.start({ runners: 2, config });
  [one, two] = (await world.fleet.start('ingress', 2)) as [Member, Member];
}, 90_000);
afterAll(() => world?.close());

const keyOf = (name: string) => sessionOf(name, 'webchat', 'default');
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

async function call(member: Member, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${member.url}/api/${path}`, {
    method,
    headers: body ? headers : { authorization: headers.authorization },
    body: body ? JSON.stringify(body) : null,
  });
  return { status: response.status, ...((await response.json()) as object) };
}

function stream(name: string, message: string, lines: readonly Line[], query = ''): Promise<SseClient> {
  world.script(message, lines);
  return SseClient.open(`${one.url}/api/sessions/${name}/invoke${query}`, TOKEN, { body: { message } });
}

/** Through the other ingress, and acknowledged in time. */
async function stop(name: string, word = '/stop'): Promise<void> {
  const at = performance.now();
  expect(await call(two, 'POST', `sessions/${name}/messages`, { message: word })).toMatchObject({ status: 200, command: 'stop' });
  expect(performance.now() - at).toBeLessThan(WITHIN_MS);
}

async function expectsAnswer(name: string): Promise<void> {
  const message = `the next of ${name}`;
  expect(await call(two, 'POST', `sessions/${name}/invoke`, { message })).toMatchObject({ status: 200, text: `done ${message}` });
}

/** Of a stream whose turn was stopped: how it ended, without a word after that. */
async function expectsCancelled(client: SseClient): Promise<void> {
  expect((await client.until('done')).at(-1)?.data).toMatchObject({ outcome: 'cancelled' });
}

const transcript = (session: SessionKey): Promise<TurnRecord[]> => world.platform.sessions.transcript(session, 9);

/** Until so many turns of a session have ended. */
async function outcomes(session: SessionKey, count: number): Promise<string[]> {
  const records = await waitUntil(
    `${count} turns of ${session} have ended`,
    () => transcript(session),
    ({ length }) => length >= count,
  );
  return records.map(({ outcome }) => outcome);
}

describe('/stop through another ingress', () => {
  proves('B047', 'while it streams', async () => {
    const client = await stream('streaming', 'stream on', [SLOW_ANSWER]);
    await client.until('text.delta');
    await stop('streaming');
    const at = performance.now();
    await world.asked('stream on')[0]?.ended;
    expect(performance.now() - at).toBeLessThan(WITHIN_MS);
    await expectsCancelled(client);
    expect(world.asked('stream on')).toHaveLength(1);
    await expectsAnswer('streaming');
  });

  proves('B047', 'while a tool runs for a minute: 停', async () => {
    const client = await stream('tool', 'a slow tool', [waits(60)]);
    await client.until('tool.start');
    const at = performance.now();
    await stop('tool', '停');
    await expectsCancelled(client);
    expect(performance.now() - at).toBeLessThan(2 * WITHIN_MS);
    expect(world.asked('a slow tool')).toHaveLength(1);
    await expectsAnswer('tool');
  });

  proves('B047', 'between two tools: the second never starts', async () => {
    for (const runner of world.fleet.of('runner')) await world.fleet.arm(runner, { at: 'turn.finished', act: 'stop' });
    const twice = { toolCalls: [1, 2].map((value) => ({ name: 'once_tool', arguments: { value: `${value}` } })) };
    const client = await stream('between', 'two tools', [twice]);
    const [pid] = await waitUntil(
      'the first has ended',
      () => world.fleet.hits().get('turn.finished') ?? [],
      ({ length }) => length > 0,
    );
    await stop('between');
    const stopped = world.fleet.of('runner').find((runner) => runner.pid === pid);
    stopped?.child.kill('SIGCONT');
    await expectsCancelled(client);
    for (const runner of world.fleet.of('runner')) await world.fleet.arm(runner, { at: '', act: 'none' });
    expect(world.judge.executions).toHaveLength(1);
    expect(world.asked('two tools')).toHaveLength(1);
    await expectsAnswer('between');
  });

  proves('B047', 'while it waits behind another turn', async () => {
    const first = await stream('behind', 'in front', [waits(60)]);
    await first.until('tool.start');
    const second = await stream('behind', 'behind it', []);
    await stop('behind', '停止');
    await Promise.all([first, second].map(expectsCancelled));
    expect(world.asked('behind it')).toHaveLength(0);
    await expectsAnswer('behind');
  });

  proves('B047', 'while the fleet is full', async () => {
    expect(await call(two, 'PUT', 'limits', { fleet: { concurrency: 1 } })).toMatchObject({ status: 200 });
    const busy = await stream('busy', 'takes the only place', [waits(60)]);
    await busy.until('tool.start');
    const waiting = await stream('full', 'no place', []);
    await stop('full');
    await stop('busy');
    await Promise.all([busy, waiting].map(expectsCancelled));
    expect(world.asked('no place')).toHaveLength(0);
    await expectsAnswer('full');
    await call(two, 'PUT', 'limits', { fleet: FLEET });
  });

  proves(['B047', 'QU-2'], 'inside a quiet window', async () => {
    const session = sessionOf('quiet', 'generic', 'plain');
    const began = performance.now();
    await post(one, 'wait for more');
    const at = performance.now();
    await post(two, '停');
    expect(performance.now() - at).toBeLessThan(WITHIN_MS);
    expect(await outcomes(session, 1)).toEqual(['cancelled']);
    // Media end a window at once.
    await post(two, 'the next', [{ url: 'https://files.test/a.png', type: 'image' }]);
    expect(await outcomes(session, 2)).toEqual(['cancelled', 'answered']);
    expect(world.asked('wait for more')).toHaveLength(0);
    expect(performance.now() - began).toBeLessThan(QUIET_MS);
    await waitUntil(
      'it is heard',
      () => shown(world.plain, 'quiet'),
      (texts) => texts.some((text) => text.startsWith('done')),
    );
  });
});

/** A message of a chat platform: those have quiet windows. */
async function post({ url }: Member, text: string, attachments: object[] = []): Promise<void> {
  const { conversation } = generic('plain', 'quiet');
  const body = JSON.stringify({
    type: 'message',
    id: text,
    conversation: { id: conversation, type: 'direct' },
    sender: { id: 'user' },
    text,
    attachments,
  });
  const signature = `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`;
  const response = await fetch(`${url}/webhooks/generic/plain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature-256': signature },
    body,
  });
  expect(response.status).toBe(200);
}

describe('a client that goes away', () => {
  proves(['QU-3', 'IN-5'], 'stops its turn when it said so, whether it streams or waits', async () => {
    for (const accept of ['text/event-stream', 'application/json']) {
      const message = `abandon ${accept}`;
      world.script(message, [SLOW_ANSWER]);
      const socket = new AbortController();
      const name = accept.replace('/', '-');
      const answer = fetch(`${one.url}/api/sessions/${name}/invoke?onDisconnect=cancel`, {
        method: 'POST',
        headers: { ...headers, accept },
        body: JSON.stringify({ message }),
        signal: socket.signal,
      }).then((response) => response.text());
      const asked = await world.askedTimes(message, 1);
      socket.abort();
      const at = performance.now();
      await expect(answer).rejects.toThrow(/abort/);
      await asked.ended;
      expect(performance.now() - at).toBeLessThan(WITHIN_MS);
      expect(await outcomes(keyOf(name), 1)).toEqual(['cancelled']);
      await expectsAnswer(name);
    }
  });

  proves(['QU-3', 'IN-5'], 'stops its message that waits, and not the turn before it', async () => {
    const running = await stream('shared', 'runs', [waits(2)]);
    await running.until('tool.start');
    const waiting = await stream('shared', 'waits', [], '?onDisconnect=cancel');
    waiting.close();
    expect((await running.until('done')).at(-1)?.data).toMatchObject({ outcome: 'answered' });
    expect(await outcomes(keyOf('shared'), 2)).toEqual(['answered', 'cancelled']);
    expect(world.asked('waits')).toHaveLength(0);
  });

  proves('IN-5', 'lets its turn go on when it said nothing, and when it was the server that left', async () => {
    const silent = await stream('silent', 'goes on', [{ text: 'so it goes on', chunkDelayMs: 200 }]);
    await silent.until('text.delta');
    silent.close();
    expect(await outcomes(keyOf('silent'), 1)).toEqual(['answered']);

    const [leaving] = await world.fleet.start('ingress');
    const message = 'left by the server';
    world.script(message, [{ text: 'it goes on all the same', chunkDelayMs: 500 }]);
    const url = `${leaving?.url}/api/sessions/left/invoke?onDisconnect=cancel`;
    const left = await SseClient.open(url, TOKEN, { body: { message } });
    await left.until('text.delta');
    leaving?.child.kill('SIGTERM');
    expect(await leaving?.exited).toMatchObject({ code: 0 });
    expect(await outcomes(keyOf('left'), 1)).toEqual(['answered']);
  });

  proves('IN-5', 'says so in words that exist', async () => {
    const refused = await call(one, 'POST', 'sessions/words/invoke?onDisconnect=maybe', { message: 'hi' });
    expect(refused).toMatchObject({ status: 400, detail: expect.stringMatching(/onDisconnect/) });
  });
});

proves(
  'B090',
  'cancelled 20 times in mid-stream: the provider sees its socket closed each time, nothing stays open',
  async () => {
    const runners = world.fleet.of('runner');
    const sockets = async (): Promise<number> => {
      const resources = await Promise.all(runners.map((runner) => new OpsOf(runner).activeResources()));
      return resources.reduce((sum, { TCPSocketWrap = 0 }) => sum + TCPSocketWrap, 0);
    };
    const before = await sockets();
    for (let n = 0; n < 20; n++) {
      const message = `cut ${n}`;
      const client = await stream(`cut-${n}`, message, [SLOW_ANSWER]);
      await client.until('text.delta');
      const at = performance.now();
      expect(await call(two, 'DELETE', `sessions/cut-${n}/turns/current`)).toMatchObject({ status: 202 });
      const [asked] = world.asked(message);
      await asked?.ended;
      expect(performance.now() - at).toBeLessThan(WITHIN_MS);
      expect(asked?.aborted).toBe(true);
      await expectsCancelled(client);
      const said = (await transcript(keyOf(`cut-${n}`)))[0]?.messages.at(-1)?.text ?? '';
      // Kept up to the cut: the stream had said a few words of hundreds.
      expect(said.length).toBeLessThan(SLOW_ANSWER.text.length / 10);
    }
    await waitUntil('sockets are as before', sockets, (count) => count <= before);
    for (const { lines } of runners) expect(JSON.stringify(lines)).not.toContain('MaxListeners');
  },
);
