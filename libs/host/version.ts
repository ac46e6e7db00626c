import { readFileSync } from 'node:fs';

/** Of package.json, found from the source tree and from dist alike. */
export function version(): string {
  for (const up of ['../..', '../../..']) {
    try {
      const text = readFileSync(new URL(`${up}/package.json`, import.meta.url), 'utf8');
      return String((JSON.parse(text) as { version: string }).version);
    } catch {
      continue;
    }
  }
  return 'unknown';
}
