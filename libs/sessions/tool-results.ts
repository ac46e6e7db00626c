import { hash } from 'node:crypto';
import type { Keyspace, RedisClient, RedisMemory } from '#redis';

/** What a result is a result of. */
interface Call {
  tenant: string;
  tool: string;
  version: string;
  arguments: string;
}

/** A larger one is cheaper to make again than to keep. */
const MOST_CHARS = 65_536;
const MOST_TTL_MS = 86_400_000;

/** Results of pure tools for all runners, each for the time its tool declared, at most a day (TU-9). */
export class ToolResults {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly memory: Pick<RedisMemory, 'nearlyFull'>,
  ) {}

  async read(call: Call): Promise<string | undefined> {
    return (await this.redis.get(this.keyOf(call))) ?? undefined;
  }

  /** Keeps nothing that is large, and nothing in a Redis that is nearly full. */
  async write(call: Call, text: string, ttlMs: number): Promise<void> {
    if (text.length > MOST_CHARS || this.memory.nearlyFull) return;
    await this.redis.set(this.keyOf(call), text, 'PX', Math.min(ttlMs, MOST_TTL_MS));
  }

  private keyOf({ tenant, tool, version, arguments: args }: Call): string {
    return this.keyspace.toolResult(hash('sha256', JSON.stringify([tenant, tool, version, args]), 'base64url'));
  }
}
