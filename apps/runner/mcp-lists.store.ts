import { z } from 'zod';
import { mcpToolListSchema } from '#contracts';
import type { Keyspace, RedisClient } from '#redis';
import type { SharedList, SharedLists } from '#tools';

const sharedListSchema = mcpToolListSchema.extend({ of: z.string() });

/** What MCP servers told one runner, for all of them: one hash, a field for each server. */
export class McpLists implements SharedLists {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  async read(): Promise<Map<string, SharedList>> {
    const lists = await this.redis.hgetall(this.keyspace.mcpTools());
    return new Map(Object.entries(lists).map(([server, list]) => [server, sharedListSchema.parse(JSON.parse(list))]));
  }

  async write(server: string, list: SharedList): Promise<void> {
    await this.redis.hset(this.keyspace.mcpTools(), server, JSON.stringify(list));
  }
}
