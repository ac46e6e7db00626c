import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import { waitUntil } from './harness/wait-until.js';
import { McpWorld } from './mcp-world.js';
import { proves } from './proves.js';

const program = fileURLToPath(new URL('fakes/mcp-program.fixture.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnpike-mcp-'));
afterAll(() => rmSync(folder, { recursive: true }));
const TOOLS = ['echo', 'slow', 'ask', 'die', 'grow'];

let logs = 0;

/** A server that misbehaves, and what it saw. */
function fake(behaviour: string, options: object = {}) {
  const log = join(folder, String((logs += 1)));
  const lines = (): string[] => readFileSync(log, { encoding: 'utf8', flag: 'a+' }).split('\n');
  return {
    config: { command: process.execPath, args: [program, behaviour, log], tools: TOOLS, ...options },
    lines,
    starts: () => lines().flatMap((line) => (line.startsWith('start ') ? [Number(line.slice(6))] : [])),
    saw: (method: string) => lines().filter((line) => line.includes(`"method":"${method}"`)),
  };
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/ Z \d/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('servers that misbehave', () => {
  proves(['TO-4', 'T11'], 'ten first calls at once make one process', async () => {
    const server = fake('good');
    await using world = new McpWorld({ fake: server.config });
    expect(server.starts()).toEqual([]);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => world.call('mcp_fake_echo', { n })));
    const [pid] = server.starts();
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, (_, n) => `${pid} {"n":${n}}`));
    expect([server.starts().length, server.saw('initialize').length]).toEqual([1, 1]);
  });

  proves(['TO-4', 'T11'], 'a connect is bounded; three that fail rest the server, and nobody else', async () => {
    const silent = fake('silent', { connectTimeoutMs: 300 });
    const good = fake('good');
    await using world = new McpWorld({ silent: silent.config, good: good.config });
    for (let call = 1; call <= 3; call += 1) {
      const { text, isError } = await world.call('mcp_silent_echo');
      expect([text, isError]).toEqual(['The MCP server "silent" did not do it: it was not connected within 300 ms.', true]);
    }
    expect((await world.call('mcp_silent_echo')).text).toMatch(
      /it failed too often and rests for \d+ s more; do without its tools/,
    );
    expect(await world.call('mcp_good_echo')).toMatchObject({ isError: false });
    expect(silent.starts().length).toBe(3);
    await waitUntil(
      'those that were given up have ended',
      () => silent.starts().filter(runs),
      ({ length }) => length === 0,
    );
  });

  proves('TO-4', 'a server that ends itself when asked for the newer revision is spoken to in the older one', async () => {
    await using world = new McpWorld({ old: fake('old').config });
    expect(await world.call('mcp_old_echo')).toMatchObject({ isError: false });
  });

  proves(
    'TO-4',
    'a server that dies is told of: how to the model, why to the operator; the next call starts it again',
    async () => {
      const server = fake('good');
      await using world = new McpWorld({ fake: server.config, broken: fake('noisy-death').config });
      const { text } = await world.call('mcp_fake_die');
      expect(text).toBe('The MCP server "fake" did not do it: the connection ended: the program ended with code 7.');
      expect(await world.call('mcp_fake_echo')).toMatchObject({ isError: false });
      expect(server.starts().length).toBe(2);
      expect((await world.call('mcp_broken_echo')).text).toMatch(/the program ended with code 1\.$/);
      // What it wrote is for the operator: a secret may be in it.
      expect(world.troubles).toEqual([
        'fake: the connection ended: the program ended with code 7; it last wrote: out of cheese',
        'broken: the connection ended: the program ended with code 1; it last wrote: API key is missing',
      ]);
    },
  );

  proves('TO-4', 'lines that are no messages are passed over, one that is too large ends the connection', async () => {
    const tools = [...TOOLS, 'flood'];
    await using world = new McpWorld({
      garbage: fake('garbage').config,
      flood: fake('good', { maxMessageBytes: 20_000, tools }).config,
      long: fake('good', { maxResultChars: 1000, tools }).config,
    });
    expect(await world.call('mcp_garbage_echo')).toMatchObject({ isError: false });
    expect((await world.call('mcp_flood_flood')).text).toContain('the program sent a message that is too large');
    expect(await world.call('mcp_flood_echo')).toMatchObject({ isError: false });
    const { text } = await world.call('mcp_long_flood');
    expect(text.length).toBeLessThan(1200);
    expect(text).toContain('[cut here: the whole result has 100000 characters');
  });

  proves(
    ['TO-4', 'T12'],
    'a changed list counts from the next turn, on every runner, and a runner that starts later knows it',
    async () => {
      const server = fake('good', { tools: undefined });
      await using world = new McpWorld({ fake: server.config });
      await world.source.start(30_000);
      expect(world.names.at(-1)).toBe('mcp_fake_grow');
      await world.call('mcp_fake_grow');
      await waitUntil(
        'the change was told',
        () => world.told,
        ({ length }) => length === 2,
      );
      expect([world.names.at(-1), world.told]).toEqual(['mcp_fake_grown_5', ['fleet', 'fleet']]);
      await using other = new McpWorld({ fake: server.config }, world.fleet);
      await other.source.start(0);
      expect([other.names, server.starts().length]).toEqual([world.names, 1]);
      expect(world.differences).toEqual([{ server: 'fake', added: ['grown_5'], missing: [], changed: [] }]);
    },
  );

  proves(
    ['TO-4', 'T11'],
    'what the server does not have as declared is reported, and what it has is used from the next turn',
    async () => {
      const tools = [{ name: 'echo', description: 'Old', inputSchema: { type: 'object' } }, 'gone'];
      await using world = new McpWorld({ fake: fake('good', { tools }).config });
      expect(world.names).toEqual(['mcp_fake_echo', 'mcp_fake_gone']);
      await world.call('mcp_fake_echo');
      await waitUntil(
        'the difference was seen',
        () => world.told,
        ({ length }) => length === 1,
      );
      expect(world.differences).toEqual([{ server: 'fake', added: [], missing: ['gone'], changed: ['echo'] }]);
      expect(world.names).toEqual(['mcp_fake_echo']);
      expect(world.tool('mcp_fake_echo')).toMatchObject({ description: 'Does echo', effect: 'pure' });
    },
  );

  proves('TO-4', 'a call that is given up is cancelled at the server; progress keeps a slow one alive', async () => {
    const server = fake('good', { requestTimeoutMs: 400 });
    await using world = new McpWorld({ fake: server.config });
    await world.call('mcp_fake_echo');
    const stop = new AbortController();
    const waiting = world.call('mcp_fake_slow', { n: 1000 }, {}, stop.signal);
    await waitUntil(
      'the call arrived',
      () => server.saw('tools/call'),
      ({ length }) => length === 2,
    );
    stop.abort(new Error('the turn was cancelled'));
    await expect(waiting).rejects.toThrow('the turn was cancelled');
    await waitUntil(
      'it heard of it',
      () => server.saw('notifications/cancelled'),
      ({ length }) => length === 1,
    );
    expect(await world.call('mcp_fake_slow', { n: 10 })).toEqual({ text: 'slow, but done', isError: false });
    await using hurried = new McpWorld({ fake: { ...server.config, totalTimeoutMs: 500 } });
    expect((await hurried.call('mcp_fake_slow', { n: 100 })).text).toContain('did not answer in time');
  });

  proves(
    ['TO-4', 'B044'],
    'fifty sessions share one process a server; idle, they end, also those that ignore SIGTERM',
    async () => {
      const servers = [fake('stubborn', { idleTimeoutMs: 200 }), fake('good', { idleTimeoutMs: 200 })];
      const [stubborn, good] = servers;
      await using world = new McpWorld({ stubborn: stubborn?.config, good: good?.config });
      const calls = Array.from({ length: 50 }, (_, n) =>
        ['mcp_stubborn_echo', 'mcp_good_echo'].map((name) => world.call(name, { n })),
      );
      await Promise.all(calls.flat());
      const pids = servers.flatMap(({ starts }) => starts());
      expect(pids.length).toBe(2);
      await waitUntil(
        'both have ended',
        () => pids.filter(runs),
        ({ length }) => length === 0,
      );
      expect(await world.call('mcp_good_echo')).toMatchObject({ isError: false });
      expect(world.troubles).toEqual([]);
    },
  );

  proves(['TO-4', 'T12'], 'a reload adds, removes and changes servers; those that stay keep their process', async () => {
    const [stays, goes, comes] = [fake('good'), fake('good'), fake('good')];
    await using world = new McpWorld({ stays: stays.config, goes: goes.config });
    await Promise.all(['mcp_stays_echo', 'mcp_goes_echo'].map((name) => world.call(name)));
    const gone = world.tool('mcp_goes_echo');
    world.reload({ stays: { ...stays.config, tools: ['echo', 'slow'] }, comes: comes.config });
    expect(world.names).toEqual(['mcp_stays_echo', 'mcp_stays_slow', ...TOOLS.map((name) => `mcp_comes_${name}`)]);
    await Promise.all(['mcp_stays_echo', 'mcp_comes_echo'].map((name) => world.call(name)));
    expect([stays.starts().length, comes.starts().length]).toEqual([1, 1]);
    await waitUntil(
      'the one that left has ended',
      () => goes.starts().filter(runs),
      ({ length }) => length === 0,
    );
    const context = { tenant: 'default', session: 's', turn: 't', callId: 'c' } as Parameters<typeof gone.execute>[1];
    expect((await gone.execute({}, context, AbortSignal.timeout(1000))).text).toContain('it has left the configuration');
  });
});
