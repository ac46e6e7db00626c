import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig, redactConfig, secretValues } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'turnpike.json5');
const lockFile = join(folder, 'mcp.lock.json');

function load(config: object, env: Record<string, string> = {}) {
  writeFileSync(file, JSON.stringify({ mcp: { lockFile }, ...config }));
  return loadConfig({ file, env, standalone: true });
}

const files = { command: 'serve', args: ['/data'] };

test('TO-4 OP-6 secrets of MCP servers come from the environment or a file, and are masked and scrubbed', () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'from-a-file-0000\n');
  const servers = {
    a: { ...files, env: { KEY: '${KEY}' } },
    b: { url: 'https://mcp.example.com', headers: { authorization: '${TOKEN}' } },
  };
  const config = load({ mcpServers: servers }, { KEY: 'from-env-0000', TOKEN_FILE: token, PATH: '/bin', OTHER: 'hidden' });
  expect(config.mcpServers.a).toMatchObject({ type: 'stdio', env: { KEY: 'from-env-0000' }, inherited: { PATH: '/bin' } });
  expect(config.mcpServers.a?.type === 'stdio' && config.mcpServers.a.inherited).toEqual({ PATH: '/bin' });
  expect(secretValues(config)).toEqual(expect.arrayContaining(['from-env-0000', 'from-a-file-0000']));
  expect(JSON.stringify(redactConfig(config))).not.toMatch(/from-env|from-a-file|hidden/);
});

test.each([
  ['mcp-adapter.config.servers', { 'mcp-adapter': { enabled: true, config: { servers: { files } } } }],
  ['the seed', { plugins: { entries: { 'mcp-adapter': { enabled: true, config: { servers: { files } } } } } }],
  ['OpenClaw', { mcp: { lockFile, servers: { files } } }],
])('TO-4 TO-3 servers under the name of %s are mcpServers', (_, config) => {
  expect(load(config).mcpServers.files).toMatchObject({ type: 'stdio', command: 'serve', args: ['/data'] });
});

test('TO-4 TO-3 an adapter that is switched off has no servers, and two names at once are refused', () => {
  expect(load({ 'mcp-adapter': { enabled: false, config: { servers: { files } } } }).mcpServers).toEqual({});
  expect(() => load({ mcpServers: { files }, 'mcp-adapter': { config: { servers: {} } } })).toThrow(
    /another name for mcpServers/,
  );
});

test('TO-4 OP-6 a server needs a program or an address, and its type goes with it', () => {
  expect(() => load({ mcpServers: { a: {} } })).toThrow(/mcpServers\.a: needs either `command`/);
  expect(() => load({ mcpServers: { a: { ...files, url: 'http://localhost' } } })).toThrow(/and not both/);
  expect(() => load({ mcpServers: { a: { ...files, type: 'sse' } } })).toThrow(/sse does not go with `command`/);
});

test('TO-4 tools are those of the lock, the configuration names which and says more', () => {
  const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object', required: ['a'] } });
  const lock = {
    lockVersion: 1,
    servers: { files: { server: 'files 1', protocol: '2025-11-25', tools: [tool('read'), tool('write')] } },
  };
  writeFileSync(lockFile, JSON.stringify(lock));
  expect(load({ mcpServers: { files } }).mcpServers.files?.known).toEqual([tool('read'), tool('write')]);
  const own = { name: 'write', description: 'Mine', annotations: { idempotentHint: true } };
  const config = load({ mcpServers: { files: { ...files, tools: ['read', own, 'new'] } } }).mcpServers.files;
  expect(config?.known.map(({ name, description }) => [name, description])).toEqual([
    ['read', 'Does read'],
    ['write', 'Mine'],
    ['new', ''],
  ]);
  expect([config?.only, config?.annotations]).toEqual([['read', 'write', 'new'], { write: { idempotentHint: true } }]);
  writeFileSync(lockFile, '{"lockVersion": 9}');
  expect(() => load({})).toThrow(/is no lock of MCP tools; delete it and run `turnpike mcp discover`/);
  rmSync(lockFile);
});
