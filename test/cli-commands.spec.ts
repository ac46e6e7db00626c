import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import type { RunningApp } from '#host';
import { messageId, turnIdOf } from '#kernel';
import { run } from '../apps/cli/program.js';
import { StageModel } from './fakes/stage-model.js';
import { waitUntil } from './harness/wait-until.js';
import { openLanes, rowOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { ADMIN_TOKEN, ANN_TOKEN, startIngress, startWorkers, type IngressProcess } from './webchat-world.js';

let redis: RedisServer;
let model: StageModel;
let ingress: IngressProcess;
let workers: RunningApp;

beforeAll(async () => {
  [redis, model] = await Promise.all([startRedis(), StageModel.start()]);
  [ingress, workers] = await Promise.all([startIngress(redis.url), startWorkers(redis.url, model)]);
});

afterAll(async () => {
  await Promise.all([ingress.stop(), workers.stop(AbortSignal.timeout(1))]);
  await Promise.all([redis.stop(), model.stop()]);
});

/** A command line as a shell runs it: streams, an environment, an exit code. */
class Shell {
  readonly stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly stdout: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exit: Promise<number>;
  out = '';
  err = '';
  private wake: () => void = () => undefined;

  constructor(words: string[], { terminal = false, url = ingress.url, token = ADMIN_TOKEN, colours = false } = {}) {
    this.stdin.isTTY = this.stdout.isTTY = terminal;
    this.stdout.on('data', (data: Buffer) => {
      this.out += data.toString();
      this.wake();
    });
    this.stderr.on('data', (data: Buffer) => (this.err += data.toString()));
    this.exit = run(words, { url, token: token || undefined, noColor: !colours }, this);
  }

  /** @param line what somebody types, or pipes in */
  type(line: string): this {
    this.stdin.write(line);
    return this;
  }

  async shows(text: string): Promise<void> {
    while (!this.out.includes(text)) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

async function answer(...words: string[]): Promise<void> {
  const speech = await model.next();
  for (const word of words) speech.say(word);
  speech.end();
}

proves('IN-5', 'send stores a message and says under which id; --json prints the whole answer on one line', async () => {
  const shell = new Shell(['send', 'hello', '--session', 'send', '--json', '--id', 'my-key']);
  expect(await shell.exit).toBe(0);
  const accepted = JSON.parse(shell.out) as { messageId: string };
  expect(accepted).toMatchObject({ session: 'default.main.webchat.default.direct.send', sequence: 1, duplicate: false });
  const again = new Shell(['send', 'hello', '--session', 'send', '--id', 'my-key']);
  expect(await again.exit).toBe(0);
  expect(again.out).toContain(accepted.messageId);
  await answer('Hello.');
});

proves('IN-5', 'send --wait prints the messages of the turn, from stdin too', async () => {
  const shell = new Shell(['send', '-', '--wait']);
  shell.stdin.end('what is in here?\n');
  const first = await model.next();
  first.call('message', { content: 'Looking.' });
  first.end();
  await answer('Nothing.');
  expect(await shell.exit).toBe(0);
  expect(shell.out).toBe('Looking.\n\nNothing.\n');
});

proves('OUT-3', 'chat shows tokens as they come, tools and progress, and the answer once', async () => {
  const shell = new Shell(['chat', '--session', 'tty'], { terminal: true });
  await shell.shows('Ctrl-C');
  shell.type('look it up\r');
  const first = await model.next();
  first.say('Let me look.');
  first.call('demo_search', { query: 'x' });
  first.call('message', { content: 'half way' });
  first.end();
  const second = await model.next();
  second.say('Here ');
  await shell.shows('Here ');
  second.say('it is.');
  second.end();
  await shell.shows('it is.\n');
  shell.type('/exit\r');
  expect(await shell.exit).toBe(0);
  const lines = stripped(shell.out)
    .split('\n')
    .map((line) => line.trim());
  expect(lines.filter((line) => /Let me|demo_search|half way|Here/.test(line))).toEqual([
    'Let me look.',
    '· demo_search',
    '▸ half way',
    'Here it is.',
  ]);
});

proves('QU-3', 'Ctrl-C stops the running answer, a second one leaves', async () => {
  const shell = new Shell(['chat', '--session', 'interrupt'], { terminal: true });
  await shell.shows('Ctrl-C');
  shell.type('a long story\r');
  (await model.next()).say('Once upon a time');
  await shell.shows('Once upon');
  shell.type('\u0003');
  await shell.shows('(stopped)');
  shell.type('\u0003');
  expect(await shell.exit).toBe(0);
});

proves(
  'IN-5',
  'lines of a pipe are messages, each answered before the next is sent; the command ends after the last',
  async () => {
    const shell = new Shell(['chat', '--session', 'pipe']);
    shell.stdin.end('one\ntwo\n');
    await answer('First.');
    await answer('Second.');
    expect(await shell.exit).toBe(0);
    expect(shell.out).toBe('First.\nSecond.\n');
  },
);

proves('IN-5', 'chat --json prints every event as one line of JSON', async () => {
  const shell = new Shell(['chat', '--session', 'json', '--json']);
  shell.stdin.end('one\n');
  await answer('First.');
  expect(await shell.exit).toBe(0);
  const events = shell.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  expect(events.map(({ type }) => type)).toEqual(['turn.start', 'text.delta', 'turn.end', 'message']);
});

proves(
  'IN-5',
  'a server that goes away in the middle of an answer is found again: nothing is missing, nothing twice',
  async () => {
    const shell = new Shell(['chat', '--session', 'cut'], { terminal: true });
    await shell.shows('Ctrl-C');
    shell.type('count\r');
    const speech = await model.next();
    speech.say('one ');
    await shell.shows('one ');
    const { port } = ingress;
    await ingress.stop();
    speech.say('two');
    speech.end();
    ingress = await startIngress(redis.url, port);
    await shell.shows('two');
    shell.type('/exit\r');
    expect(await shell.exit).toBe(0);
    expect(stripped(shell.out).match(/one two/g)).toHaveLength(1);
  },
);

proves(['OP-5', 'OUT-1'], 'dead: what could not be delivered is listed, shown and sent again, by name or all', async () => {
  const lanes = await openLanes(redis.url);
  const turn = turnIdOf(
    messageId({ channel: 'generic', account: 'gone', conversation: 'c', kind: 'message', platformId: '1' }),
    0,
  );
  const target = { channel: 'generic', account: 'gone', conversation: 'c' };
  const rows = [1, 2].map((n) => ({ ...rowOf('c', turn, n, `lost \u001b[31m${n}`), target }));
  await lanes.relay.relay(rows.map((row) => ({ row, number: 0 })));
  const ids = (of: string): Promise<string> =>
    waitUntil(
      'given up',
      async () => (await ran('dead', 'list')).out,
      (out) => out.split(of).length === 3,
    );
  const listed = await ids('gone to c');
  expect(listed).toContain(`${rows[0]?.id}  `);
  expect(listed).toContain('unknown_channel_account: lost [31m1');
  expect((await ran('dead', 'show', `${rows[0]?.id}`)).out).toContain('reason: unknown_channel_account');
  expect(await ran('dead', 'replay')).toMatchObject({ code: 2, err: expect.stringContaining('--all') });
  const once = await ran('dead', 'replay', `${rows[0]?.id}`);
  expect(once.out).toContain(`sent again as ${rows[0]?.id}~r1`);
  expect((await ran('dead', 'replay', `${rows[0]?.id}`)).out).toBe(once.out);
  await ids('gone to c');
  expect((await ran('dead', 'replay', '--all')).out.trim().split('\n')).toHaveLength(2);
  await ids('~r');
  await lanes.close();
});

async function ran(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const shell = new Shell(words);
  return { code: await shell.exit, out: shell.out, err: shell.err };
}

proves('IN-6', 'exit codes and sentences: usage 2, access 77, nobody there 69', async () => {
  const dead = await closedPort();
  const cases: [string[], object, number, RegExp][] = [
    [['dance'], {}, 2, /unknown command 'dance'/],
    [['send'], {}, 2, /missing required argument 'text'/],
    [['send', ' '], {}, 2, /empty/],
    [['send', 'x'], { url: 'ftp://host' }, 2, /Write it like http/],
    [['send', 'x'], { token: 'nobody' }, 77, /--token or TURNPIKE_TOKEN/],
    [['send', 'x'], { token: '' }, 77, /No access token/],
    [['send', 'x', '--session', 'support'], { token: ANN_TOKEN }, 77, /not the one session/],
    [['chat', '--session', 'x'], { url: dead }, 69, /Nothing answers at .*npm start/],
    [['send', 'x'.repeat(100_001)], {}, 1, /too long/],
  ];
  for (const [words, options, code, sentence] of cases) {
    const shell = new Shell(words, options);
    expect([words[0], await shell.exit]).toEqual([words[0], code]);
    expect(shell.err).toMatch(sentence);
  }
});

proves('OP-5', '--help tells a stranger where to begin', async () => {
  const shell = new Shell(['--help']);
  expect(await shell.exit).toBe(0);
  for (const word of ['chat', 'send', 'TURNPIKE_URL', 'TURNPIKE_TOKEN', 'admin-token', '69', 'Examples'])
    expect(shell.out).toContain(word);
});

async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Without what readline writes to move the cursor. */
function stripped(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[\d;]*[A-Za-z]/g, '').replaceAll('\r', '\n');
}
