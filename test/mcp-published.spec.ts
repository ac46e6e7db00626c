import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { waitUntil } from './harness/wait-until.js';
import { McpWorld, published } from './mcp-world.js';
import { proves } from './proves.js';

describe('the published servers over stdio', () => {
  proves('TO-4', 'server-everything: text, image, resources and structured content reach the model as text', async () => {
    await using world = new McpWorld({ everything: published('everything', 'stdio') });
    await world.source.start(30_000);
    expect(world.names.length).toBeGreaterThan(12);
    const text = async (tool: string, args = {}) => (await world.call(`mcp_everything_${tool}`, args)).text;
    expect(await text('echo', { message: 'hello' })).toBe('Echo: hello');
    expect(JSON.parse(await text('get-structured-content', { location: 'Chicago' }))).toMatchObject({ temperature: 36 });
    expect(await text('get-tiny-image')).toContain('[image: image/png, 4033 bytes; it is not shown to you]');
    expect(await text('get-resource-reference')).toMatch(/\[resource demo:.*\]\nResource 1: This is a plaintext resource/);
    expect(await text('get-resource-links')).toContain('[resource demo://resource/dynamic/blob/1: Blob Resource 1');
    expect(await text('trigger-long-running-operation', { duration: 0.2, steps: 4 })).toContain('completed');
    const wrong = await world.call('mcp_everything_get-sum', { a: 'x' });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('expected number') });
    expect([world.troubles, world.fleet.lists.get('everything')?.protocol]).toEqual([[], '2025-11-25']);
  });

  proves('TO-4', 'server-filesystem: tools named in the configuration exist before anybody has connected', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'turnpike-files-'));
    const tools = ['write_file', 'read_text_file', 'list_directory'];
    await using world = new McpWorld({ files: { ...published('filesystem', dir), tools } });
    expect(world.names).toEqual(tools.map((name) => `mcp_files_${name}`));
    expect(world.tool('mcp_files_read_text_file')).toMatchObject({ effect: 'once', parameters: { additionalProperties: true } });
    const path = join(dir, 'a.txt');
    expect(await world.call('mcp_files_write_file', { path, content: 'hi' })).toMatchObject({ isError: false });
    expect(await world.call('mcp_files_read_text_file', { path })).toEqual({ text: 'hi', isError: false });
    expect(await world.call('mcp_files_read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true });
    expect([world.told, world.troubles]).toEqual([['fleet'], []]);
    expect(world.tool('mcp_files_read_text_file')).toMatchObject({ effect: 'pure', parameters: { required: ['path'] } });
    rmSync(dir, { recursive: true });
  });
});

describe('server-everything over HTTP', () => {
  for (const [mode, type, path] of [
    ['streamableHttp', 'http', 'mcp'],
    ['sse', 'sse', 'sse'],
  ] as const) {
    proves(
      'TO-4',
      `over ${type}: tools are found and called, progress keeps a slow one alive, its question is answered`,
      async () => {
        const port = await freePort();
        const { command, args } = published('everything', mode);
        const server = spawn(command, args, { env: { PORT: String(port) }, stdio: 'ignore' });
        try {
          const url = `http://127.0.0.1:${port}/${path}`;
          await waitUntil(
            'it listens',
            () =>
              fetch(url, { method: 'OPTIONS' }).then(
                ({ status }) => status,
                () => 0,
              ),
            (status) => status > 0,
          );
          await using world = new McpWorld({ everything: { type, url, requestTimeoutMs: 1000 } });
          await world.source.start(30_000);
          expect((await world.call('mcp_everything_echo', { message: 'hello' })).text).toBe('Echo: hello');
          const slow = await world.call('mcp_everything_trigger-long-running-operation', { duration: 2, steps: 8 });
          expect(slow.text).toContain('completed');
          let asked = await world.call('mcp_everything_trigger-elicitation-request');
          for (const words of ['Ada', 'yes', ...Array<string>(20).fill('skip')]) {
            const resume = asked.asks?.resume;
            if (resume === undefined) break;
            asked = await world.call('mcp_everything_trigger-elicitation-request', {}, { answered: { resume, text: words } });
          }
          expect(asked.text).toMatch(/Ada/);
          expect(world.troubles).toEqual([]);
        } finally {
          server.kill('SIGKILL');
        }
      },
    );
  }
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
