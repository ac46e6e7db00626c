// @ts-check
import { existsSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Where the JSON log lines of `npm start` go: into `file` while a person looks at the terminal, so that it holds words only; to
 * stdout where that is piped, or where LOG_LEVEL asks to see them. One earlier run is kept beside it.
 * @param {string} file
 * @returns {{ stdout: 'inherit' | number, file?: string }}
 */
export function logDestination(file) {
  if (!process.stdout.isTTY || process.env.LOG_LEVEL || process.env.TRACE_LEVEL) return { stdout: 'inherit' };
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return { stdout: openSync(file, 'a', 0o600), file };
}
