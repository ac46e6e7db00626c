import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigSource, loadConfig } from '#config';
import { createLogger } from '#telemetry';
import { pluginFolder } from '../../test/plugin-folder.js';
import { AllMcpServers } from './all-mcp-servers.js';

const { logger } = createLogger({ level: 'silent', name: 'test' });

test('TO-3 TO-4 MCP servers of enabled plugins are there, below those of the configuration, and come and go with a reload', () => {
  const root = pluginFolder({
    brings: { manifest: { mcpServers: { files: { command: 'serve-files' }, shared: { command: 'of-the-plugin' } } } },
    broken: { manifest: { mcpServers: { bad: { command: 7 } } } },
  });
  const file = join(root, 'turnpike.json5');
  const write = (entries: object): void => {
    const mcpServers = { shared: { url: 'http://127.0.0.1/mcp' } };
    writeFileSync(file, JSON.stringify({ plugins: { load: { paths: [root] }, entries }, mcpServers }));
  };
  write({});
  const source = new ConfigSource(() => loadConfig({ file, env: { PATH: '/bin' }, standalone: true }));
  const all = new AllMcpServers(source, logger);
  expect(Object.keys(all.current.mcpServers).toSorted()).toEqual(['files', 'shared']);
  expect(all.current.mcpServers).toMatchObject({
    files: { type: 'stdio', command: 'serve-files', cwd: join(root, 'brings'), inherited: { PATH: '/bin' } },
    shared: { type: 'http' },
  });
  expect(all.current).toBe(all.current);
  write({ brings: { enabled: false } });
  source.reload();
  expect(Object.keys(all.current.mcpServers)).toEqual(['shared']);
});
