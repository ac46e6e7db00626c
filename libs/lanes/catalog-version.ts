import { loadScript, type Keyspace, type RedisClient } from '#redis';

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

  /** Every runner reads its tools again before the next turn that it takes. Idle sessions cost nothing. @returns the new version */
  async bump(): Promise<number> {
    const [first, ...others] = this.keyspace.buckets.map((bucket) => this.keyspace.catalog(bucket));
    const version = Number(await bumpScript.run(this.redis, [first ?? ''], ['']));
    await Promise.all(others.map((key) => bumpScript.run(this.redis, [key], [version])));
    return version;
  }
}
