import { readFileSync } from 'node:fs';

/** The user that docs/redis.md tells operators to make: whatever the tests start is no more than that. */
const RULE = /^user turnpike on >PASSWORD (?<rights>[^`]+)```/m;
const PASSWORD = 'of the tests';

/** Arguments of a redis-server that knows the user. */
export function redisUserArgs(): string[] {
  const text = readFileSync(`${process.cwd()}/docs/redis.md`, 'utf8');
  const rights = RULE.exec(text)?.groups?.rights?.trim().split(/\s+/) ?? [];
  return ['--user', 'turnpike', 'on', `>${PASSWORD}`, ...rights];
}

/** The same servers, as that user. */
export function asRedisUser(url: string): string {
  return url.replace('://', `://turnpike:${encodeURIComponent(PASSWORD)}@`);
}
