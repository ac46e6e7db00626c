import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisClient } from './connection.js';

/** One Lua script. Runs as EVALSHA, and as EVAL when the server does not know it (first call, SCRIPT FLUSH, failover). */
export class Script {
  private readonly sha: string;

  constructor(readonly lua: string) {
    this.sha = createHash('sha1').update(lua).digest('hex');
  }

  async run(redis: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
        return redis.eval(this.lua, keys.length, ...keys, ...args);
      throw error;
    }
  }
}

const COMMENT = /^\s*--/;

/** Functions that several scripts share, in this folder: fence (order), time (now, stamp), ring (tag, inring), settings (changeset), rates (permit). */
export type Prelude = 'fence' | 'time' | 'ring' | 'settings' | 'rates';

/** Reads `<name>.lua` beside the caller, with what it uses in front. Comments are dropped: guards travel as text. */
export function loadScript(directory: string, name: string, ...preludes: Prelude[]): Script {
  const before = preludes.map((prelude) => read(import.meta.dirname, prelude));
  return new Script([...before, read(directory, name)].join('\n'));
}

function read(directory: string, name: string): string {
  const lines = readFileSync(join(directory, `${name}.lua`), 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() && !COMMENT.test(line))
    .map((line) => line.trim())
    .join('\n');
}
