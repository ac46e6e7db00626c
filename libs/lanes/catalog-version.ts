import { z } from 'zod';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

const originSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('native') }),
  z.object({ kind: z.literal('plugin'), plugin: z.string() }),
  z.object({ kind: z.literal('mcp'), server: z.string() }),
]);
const listSchema = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    // A runner of an earlier version does not say.
    origin: originSchema.default({ kind: 'native' }),
    group: z.string().optional(),
    optional: z.boolean().optional(),
    ownerOnly: z.boolean().optional(),
  }),
);
export type ListedTool = z.output<typeof listSchema>[number];

const bumpScript = loadScript(import.meta.dirname, 'bump-catalog', 'time');

/**
 * The version of the tool catalog (TO-5, G8): one key in each bucket, so that the call that takes a turn reads it in its own
 * slot, without a round trip of its own.
 */
export class CatalogVersion {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /** 0 = nothing was ever changed. */
  async current(): Promise<number> {
    const [first] = this.keyspace.buckets;
    return first === undefined ? 0 : Number((await this.redis.get(this.keyspace.catalog(first))) ?? 0);
  }

  /** What a runner has built, for whoever shows it; all runners build the same. */
  async publish(tools: readonly ListedTool[]): Promise<void> {
    await this.redis.set(this.keyspace.limits('catalog'), JSON.stringify(tools));
  }

  /** undefined: no runner has built one yet. */
  async published(): Promise<ListedTool[] | undefined> {
    const text = await this.redis.get(this.keyspace.limits('catalog'));
    return text === null ? undefined : listSchema.parse(JSON.parse(text));
  }

  /** Every runner reads its tools again before the next turn that it takes. Idle sessions cost nothing. @returns the new version */
  async bump(): Promise<number> {
    const [first, ...others] = this.keyspace.buckets.map((bucket) => this.keyspace.catalog(bucket));
    const version = Number(await bumpScript.run(this.redis, [first ?? ''], ['']));
    await Promise.all(others.map((key) => bumpScript.run(this.redis, [key], [version])));
    return version;
  }
}
