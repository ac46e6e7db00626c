import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

/** Runs on what is built: `npm test` builds first. */
const program = fileURLToPath(new URL('./lifecycle.fixture.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'turnpike-lifecycle-'));
afterAll(() => rmSync(folder, { recursive: true }));
const impatient = join(folder, 'turnpike.json5');
writeFileSync(impatient, '{shutdown: {graceMs: 50, forceMs: 50}}');

function run(behaviour: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, behaviour], { env });
  const output = { text: '' };
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.text += text;
      for (const look of waiting) look();
    });
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, text: output.text }));
  const said = async (words: string): Promise<void> => {
    const heard = new Promise<void>((resolve) => {
      const look = (): void => {
        if (output.text.includes(words)) resolve();
      };
      waiting.add(look);
      look();
    });
    const silence = ended.then(({ text }) => {
      if (!text.includes(words)) throw new Error(`The process ended without ${words}: ${text}`);
    });
    await Promise.race([heard, silence]);
  };
  return { child, ended, said };
}

test.each(['SIGTERM', 'SIGINT'] as const)('OP-2 %s stops the app and ends with 0', async (signal) => {
  const { child, ended, said } = run('');
  await said('"Ready"');
  child.kill(signal);
  const { code, text } = await ended;
  expect(code).toBe(0);
  expect(text).toContain('"Closed"');
});

test('OP-2 work that outlives the grace is told to close at once, exit 0', async () => {
  const { child, ended, said } = run('waits-for-force', { SHUTDOWN_GRACE_MS: '50' });
  await said('"Ready"');
  child.kill('SIGTERM');
  const { code, text } = await ended;
  expect([code, text.includes('The grace is over'), text.includes('"Closed"')]).toEqual([0, true, true]);
});

test('OP-2 a second signal ends the process at once', async () => {
  const { child, ended, said } = run('never-stops');
  await said('"Ready"');
  child.kill('SIGTERM');
  await said('"Stopping"');
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

test('OP-2 a signal counts while the app is still starting', async () => {
  const { child, ended, said } = run('start-hangs', { TURNPIKE_CONFIG: impatient });
  await said('"Hanging"');
  child.kill('SIGTERM');
  const { code, text } = await ended;
  expect([code, text.includes('"Ready"')]).toEqual([0, false]);
});

test('OP-6 a configuration that cannot be used is explained to people, exit 78', async () => {
  const { ended } = run('', { PORT: 'http', LOG_LEVEL: 'loud' });
  const { code, text } = await ended;
  expect(code).toBe(78);
  expect(text).toContain('  http.port: found "http" (from PORT)');
  expect(text).toContain('  log.level: found "loud" (from LOG_LEVEL)');
});

test.each([
  ['start-fails', 'no port'],
  ['rejects', 'Unhandled rejection'],
])('OP-2 %s: the reason is logged as JSON, exit 1', async (behaviour, words) => {
  const { code, text } = await run(behaviour).ended;
  expect(code).toBe(1);
  expect(text).toContain(words);
  for (const line of text.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ name: 'fixture' });
});

test('B103 a background command lost with its connection does not end the process', async () => {
  const { child, ended, said } = run('loses-connection');
  await said('A background command was lost');
  await said('"Ready"');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
