import { InvalidInputError } from '#kernel';
import type { PluginStorage } from '#plugin-sdk';
import type { Keyspace, RedisClient } from '#redis';

const MOST_CHARS = 65_536;
const MOST_KEYS = 10_000;

/** What a plugin keeps for one tenant: one hash, so that it goes with the tenant. */
export class RedisPluginStorage implements PluginStorage {
  private readonly hash: string;

  constructor(
    private readonly redis: RedisClient,
    keyspace: Keyspace,
    plugin: string,
    tenant: string,
  ) {
    this.hash = keyspace.pluginStorage(tenant, plugin);
  }

  async get(key: string): Promise<unknown> {
    const text = await this.redis.hget(this.hash, key);
    return text === null ? undefined : JSON.parse(text);
  }

  /** Throws InvalidInputError for what is no JSON, too large or too much. */
  async set(key: string, value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    if (text === undefined) throw new InvalidInputError(`storage.set("${key}"): the value is no JSON; delete removes one`);
    if (text.length > MOST_CHARS)
      throw new InvalidInputError(`storage.set("${key}"): ${text.length} characters, at most ${MOST_CHARS}`);
    if ((await this.redis.hlen(this.hash)) >= MOST_KEYS && !(await this.redis.hexists(this.hash, key)))
      throw new InvalidInputError(`storage.set("${key}"): there are ${MOST_KEYS} keys already; delete some`);
    await this.redis.hset(this.hash, key, text);
  }

  async delete(key: string): Promise<void> {
    await this.redis.hdel(this.hash, key);
  }

  async keys(): Promise<string[]> {
    return (await this.redis.hkeys(this.hash)).toSorted();
  }
}
