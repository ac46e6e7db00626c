import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect } from 'vitest';
import { loadConfig } from '#config';
import { readEnvironment } from '../apps/cli/environment.js';
import { run } from '../apps/cli/program.js';
import { published } from './mcp-world.js';
import { proves } from './proves.js';

const program = fileURLToPath(new URL('fakes/mcp-program.fixture.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnpike-discover-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'turnpike.json5');
const lockFile = join(folder, 'mcp.lock.json');

async function mcp(servers: object, ...words: string[]) {
  writeFileSync(file, JSON.stringify({ mcpServers: servers, mcp: { lockFile } }));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await run(['mcp', ...words, '--config', file], readEnvironment({}), { stdin, stdout, stderr });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

describe('turnpike mcp', () => {
  proves(['TO-4', 'OP-5'], 'discover writes names, schemas, annotations and versions; then they are known unasked', async () => {
    const fake = { command: process.execPath, args: [program] };
    const broken = { command: process.execPath, args: [program, 'noisy-death'] };
    const servers = { files: published('filesystem', folder), fake };
    const { code, out } = await mcp(servers, 'discover');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^files {2}secure-filesystem-server \S+, MCP 2025-11-25, 14 tools, \d+ ms\nfake {2}fake 1, MCP 2025-11-25, 5 tools/,
    );
    const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
    expect(lock.servers.fake).toMatchObject({ server: 'fake 1', protocol: '2025-11-25' });
    expect(lock.servers.fake.tools[0]).toEqual({
      name: 'echo',
      description: 'Does echo',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      annotations: { readOnlyHint: true },
    });
    const { mcpServers } = loadConfig({ file, standalone: true });
    expect(mcpServers.fake?.known.map(({ name }) => name)).toEqual(['echo', 'slow', 'ask', 'die', 'grow']);
    expect((await mcp(servers, 'list', 'fake')).out).toMatch(/^fake {2}\S+ \S+\n {2}mcp_fake_echo\n {2}mcp_fake_slow\n/);

    const partly = await mcp({ fake: broken, other: fake }, 'discover', 'fake');
    expect([partly.code, partly.err]).toEqual([1, expect.stringContaining('No answer from fake.')]);
    expect(partly.out).toMatch(/^fake {2}failed after \d+ ms: .*API key is missing/);
    const after = JSON.parse(readFileSync(lockFile, 'utf8'));
    expect([Object.keys(after.servers), after.servers.fake]).toEqual([['fake'], lock.servers.fake]);
  });

  proves(
    ['TO-4', 'OP-5'],
    'test connects and says what differs; a server that is not configured is refused with those that are',
    async () => {
      const fake = { command: process.execPath, args: [program], tools: [{ name: 'echo', description: 'Old' }, 'gone'] };
      const { code, out } = await mcp({ fake }, 'test');
      expect(code).toBe(0);
      expect(out).toMatch(/\n {2}added: slow, ask, die, grow\n {2}missing: gone\n {2}changed: echo\n$/);
      expect(await mcp({ fake }, 'test', 'fak')).toMatchObject({ code: 2, err: expect.stringContaining('Configured: fake.') });
      const clash = await mcp({ fake: { command: 'x', url: 'http://127.0.0.1/mcp' } }, 'list');
      expect([clash.code, clash.err]).toEqual([1, expect.stringContaining('needs either `command`')]);
    },
  );
});
