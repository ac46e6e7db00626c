import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openDataFolder } from '#setup/redis-folder';
import { redisInfo } from '#setup/redis-info';
import { findRedisBinary } from '#setup/redis-process';
import { proves } from './proves.js';

const binary = findRedisBinary() ?? 'redis-server';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-launcher-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A launcher of its own: a process that runs `source` with bin/setup at hand. */
function launch(source: string): ChildProcess & { line: () => Promise<string> } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  return Object.assign(child, { line: async () => String((await lines.next()).value).trim() });
}

async function pidOn(port: number): Promise<string | undefined> {
  return (await redisInfo(port))?.get('process_id');
}

proves('OP-1', 'a start after a killed launcher goes on with the Redis it left, and ends it in the end', async () => {
  const folder = temporaryFolder();
  const first = launch(`
    import { openDataFolder } from '#setup/redis-folder';
    const { port } = await openDataFolder(${JSON.stringify(binary)}, ${JSON.stringify(folder)});
    console.log(port);
    setInterval(() => undefined, 1000);
  `);
  const port = Number(await first.line());
  const left = await pidOn(port);
  await expect(openDataFolder(binary, folder)).rejects.toThrow(`launcher process ${first.pid}`);

  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await openDataFolder(binary, folder);
  expect(await pidOn(second.port)).toBe(left);

  await second.stop();
  expect(await pidOn(port)).toBeUndefined();
  expect(existsSync(join(folder, 'running.json'))).toBe(false);
});

const SERVER = `
  let asked = 0;
  process.on('SIGINT', () => console.log('asked ' + ++asked));
  process.on('SIGTERM', () => { console.log('draining'); process.exit(7); });
  setInterval(() => undefined, 1000);
  console.log('up');
`;

function launchServer(): ReturnType<typeof launch> {
  return launch(`
    import { runServer } from '#setup/child';
    process.exit(await runServer(['--input-type=module', '-e', ${JSON.stringify(SERVER)}], process.env));
  `);
}

proves('OP-1', 'the launcher passes a signal on once, and the exit code back', async () => {
  const launcher = launchServer();
  expect(await launcher.line()).toBe('up');
  launcher.kill('SIGTERM');
  expect(await launcher.line()).toBe('draining');
  expect(await once(launcher, 'exit')).toEqual([7, null]);
});

proves('OP-1', 'one Ctrl-C that arrives twice, as under npm, is one', async () => {
  const launcher = launchServer();
  expect(await launcher.line()).toBe('up');
  launcher.kill('SIGINT');
  expect(await launcher.line()).toBe('asked 1');
  launcher.kill('SIGINT');
  launcher.kill('SIGTERM');
  // Nothing was passed on or killed, so the server is still there to see its launcher go.
  launcher.kill('SIGKILL');
  expect(await launcher.line()).toBe('draining');
});

proves(
  ['OP-1', 'OUT-4'],
  'where log lines cannot be written any more (full disk, closed terminal) the work goes on',
  async (context) => {
    if (!existsSync('/dev/full')) context.skip('this system has no /dev/full');
    const full = openSync('/dev/full', 'w');
    const source = `
    import { createLogger } from '#telemetry';
    const { logger } = createLogger({ level: 'info', name: 'test' });
    logger.info('refused');
    setImmediate(() => {
      logger.fatal('refused again');
      process.exit(7);
    });
  `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', full, 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    closeSync(full);
    expect(await once(child, 'exit')).toEqual([7, null]);
  },
);
