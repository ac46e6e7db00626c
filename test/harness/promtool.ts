import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';

/** Runs promtool, or skips the test where it is not installed (Debian: prometheus). @returns exit code and all it said */
export function promtool(context: TestContext, args: readonly string[], input = ''): { code: number | null; said: string } {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error) context.skip('promtool is not on PATH: install Prometheus (Debian: apt-get install prometheus)');
  return { code: status, said: `${stdout}${stderr}` };
}
