import { describe, expect } from 'vitest';
import { McpHttpServer } from './fakes/mcp-http-server.js';
import { McpModernServer } from './fakes/mcp-modern-server.js';
import { waitUntil } from './harness/wait-until.js';
import { McpWorld } from './mcp-world.js';
import { proves } from './proves.js';

const echoes = (url: string, options: object = {}) => ({ url, tools: ['echo'], ...options });

describe('servers over HTTP', () => {
  proves(
    ['TO-4', 'B061'],
    'a session that is gone begins anew, once for all who call, and each call goes once more',
    async () => {
      await using server = await McpHttpServer.start();
      await using other = await McpHttpServer.start();
      await using world = new McpWorld({ one: echoes(server.url), other: echoes(other.url) });
      await Promise.all([world.call('mcp_one_echo', { n: 0 }), world.call('mcp_other_echo')]);
      server.forget();
      const calls = [1, 2, 3, 4, 5].map((n) => world.call('mcp_one_echo', { n }, { session: n < 3 ? 'a' : 'b' }));
      expect((await Promise.all(calls)).map(({ text }) => text)).toEqual([1, 2, 3, 4, 5].map((n) => `{"n":${n}}`));
      expect([server.count('POST', 'initialize'), server.calls.length, other.count('POST', 'initialize')]).toEqual([2, 6, 1]);
      expect(server.seen.filter(({ method }) => method === 'initialize').map(({ session }) => session)).toEqual([
        undefined,
        undefined,
      ]);
    },
  );

  proves(
    ['TO-4', 'B061'],
    'a call that is answered 404 in the new session too is an error of the tool, and no loop',
    async () => {
      await using server = await McpHttpServer.start();
      await using world = new McpWorld({ one: echoes(server.url) });
      await world.call('mcp_one_echo');
      server.intercept = ({ method }, response) => method === 'tools/call' && response.writeHead(404).end('<html>') !== undefined;
      const { text, isError } = await world.call('mcp_one_echo');
      expect([isError, text]).toEqual([true, 'The MCP server "one" did not do it: its session ended twice during one call.']);
      expect([server.count('POST', 'tools/call'), server.count('POST', 'initialize')]).toEqual([3, 2]);
    },
  );

  proves(['TO-4', 'B118'], 'without a listening stream (404 or 405) tools work, in the same session', async () => {
    for (const listening of [404, 405] as const) {
      await using server = await McpHttpServer.start({ listening });
      await using world = new McpWorld({ one: echoes(server.url) });
      for (let call = 0; call < 3; call += 1) expect(await world.call('mcp_one_echo')).toMatchObject({ isError: false });
      await waitUntil(
        'it was asked to listen',
        () => server.count('GET'),
        (count) => count > 0,
      );
      expect(await world.call('mcp_one_echo')).toMatchObject({ isError: false });
      expect(server.count('POST', 'initialize')).toBe(1);
    }
  });

  proves(['TO-4', 'B118'], 'a 404 of the old session that comes late leaves the new one alone', async () => {
    await using server = await McpHttpServer.start();
    await using world = new McpWorld({ one: echoes(server.url) });
    await world.call('mcp_one_echo');
    const late = Promise.withResolvers<void>();
    server.intercept = async ({ method, session }) => {
      if (method === 'tools/call' && session === 'session-1' && server.count('POST', 'tools/call') === 2) await late.promise;
      return false;
    };
    server.forget();
    const slow = world.call('mcp_one_echo', { slow: true });
    await waitUntil(
      'it arrived',
      () => server.count('POST', 'tools/call'),
      (count) => count === 2,
    );
    expect(await world.call('mcp_one_echo')).toMatchObject({ isError: false });
    late.resolve();
    expect(await slow).toEqual({ text: '{"slow":true}', isError: false });
    expect([server.count('POST', 'initialize'), [...server.sessions]]).toEqual([2, ['session-2']]);
  });

  proves(
    ['TO-4', 'B118'],
    'an endpoint that is not there is an error that names it, tried again only by calls, and not for ever',
    async () => {
      await using server = await McpHttpServer.start();
      server.intercept = (_, response) => response.writeHead(404).end('<html>') !== undefined;
      await using world = new McpWorld({ one: echoes(server.url) });
      for (let call = 0; call < 3; call += 1)
        expect((await world.call('mcp_one_echo')).text).toContain('the server answered HTTP 404');
      const asked = server.seen.length;
      expect((await world.call('mcp_one_echo')).text).toContain('rests for');
      expect(server.seen.length).toBe(asked);
    },
  );

  proves(['TO-4', 'B118'], 'a goodbye that is answered 404 ends the connection like any other', async () => {
    await using server = await McpHttpServer.start();
    const world = new McpWorld({ one: echoes(server.url) });
    await world.call('mcp_one_echo');
    server.intercept = ({ http }, response) => http === 'DELETE' && response.writeHead(404).end() !== undefined;
    await world[Symbol.asyncDispose]();
    expect([server.count('DELETE'), world.troubles]).toEqual([1, []]);
  });

  proves(['TO-4', 'B118'], 'a listening stream that drops is opened again after a while; no call is made twice', async () => {
    await using server = await McpHttpServer.start({ listening: 'drops' });
    await using world = new McpWorld({ one: echoes(server.url) });
    const before = performance.now();
    for (let n = 0; n < 5; n += 1) await world.call('mcp_one_echo', { n });
    await waitUntil(
      'it came again',
      () => server.count('GET'),
      (count) => count >= 3,
    );
    expect(performance.now() - before).toBeGreaterThan(1500);
    expect([server.calls, server.count('POST', 'initialize')]).toEqual([[0, 1, 2, 3, 4].map((n) => ({ n })), 1]);
  });

  proves(
    ['TO-4', 'B088'],
    'a long list is waited for, a server that hangs costs its own tools and the wait, the third is there',
    async () => {
      const tools = Array.from({ length: 157 }, (_, i) => ({ name: `tool_${i}` }));
      await using a = await McpHttpServer.start({ tools, page: 40, pageDelayMs: 100 });
      await using b = await McpHttpServer.start({ listHangs: true });
      await using c = await McpHttpServer.start();
      await using world = new McpWorld({ a: { url: a.url }, b: { url: b.url, listTimeoutMs: 60_000 }, c: { url: c.url } });
      const before = performance.now();
      await world.source.start(1500);
      expect(performance.now() - before).toBeLessThan(3000);
      expect([world.names.length, world.names.at(-1), a.count('POST', 'tools/list')]).toEqual([158, 'mcp_c_echo', 4]);
      await using declared = new McpWorld({ b: echoes(b.url) });
      await declared.source.start(10_000);
      expect([declared.names, b.count('POST', 'initialize')]).toEqual([['mcp_b_echo'], 1]);
      expect(await declared.call('mcp_b_echo')).toMatchObject({ isError: false });
    },
  );

  proves('TO-4', 'headers go to the server and not to where it redirects; secrets are in no error', async () => {
    await using elsewhere = await McpHttpServer.start();
    await using server = await McpHttpServer.start();
    const headers = { authorization: 'Bearer very-secret-token' };
    await using world = new McpWorld({ one: echoes(server.url, { headers }) });
    await world.call('mcp_one_echo');
    expect(server.seen.every((request) => request.headers.authorization === headers.authorization)).toBe(true);
    server.intercept = (_, response) => response.writeHead(307, { location: elsewhere.url }).end() !== undefined;
    const { text, isError } = await world.call('mcp_one_echo');
    expect([isError, text.includes('secret'), elsewhere.seen]).toEqual([true, false, []]);
  });

  proves('TO-4', 'a change that is told over the listening stream is read', async () => {
    const tools = [{ name: 'echo' }];
    await using server = await McpHttpServer.start({ tools });
    await using world = new McpWorld({ one: { url: server.url } });
    await world.source.start(10_000);
    await waitUntil(
      'it listens',
      () => server.count('GET'),
      (count) => count === 1,
    );
    tools.push({ name: 'added' });
    await waitUntil(
      'the new tool is there',
      () => (server.say('notifications/tools/list_changed'), world.names),
      (names) => names.includes('mcp_one_added'),
    );
  });

  proves(
    'TO-4',
    'of the newer revision a change comes over the subscription, and over the next one when that breaks',
    async () => {
      await using server = await McpModernServer.start();
      await using world = new McpWorld({ modern: { url: server.url } });
      await world.source.start(10_000);
      expect(world.names).toEqual(['mcp_modern_paint']);
      for (const name of ['first', 'second']) {
        server.further.push(name);
        await waitUntil(
          `${name} is there`,
          () => (server.tellOfChange(), world.names),
          (names) => names.includes(`mcp_modern_${name}`),
        );
        server.cutStreams();
      }
      expect(world.fleet.lists.get('modern')?.protocol).toBe('2026-07-28');
    },
  );

  proves('TO-4', 'a list that says how long it is good for is read again by the first call after that time', async () => {
    const tools = [{ name: 'echo' }];
    await using server = await McpHttpServer.start({ tools, ttlMs: 30_000 });
    await using world = new McpWorld({ one: { url: server.url } });
    await world.source.start(10_000);
    tools.push({ name: 'added' });
    world.ahead = 29_000;
    await world.call('mcp_one_echo');
    expect(server.count('POST', 'tools/list')).toBe(1);
    world.ahead = 31_000;
    await world.call('mcp_one_echo');
    await waitUntil(
      'it was read',
      () => world.names,
      (names) => names.includes('mcp_one_added'),
    );
    expect(server.count('POST', 'tools/list')).toBe(2);
  });
});
