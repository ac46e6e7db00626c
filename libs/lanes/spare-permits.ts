import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { SendLimits } from './send-permits.js';

/** After this a request has mostly arrived. What takes longer counts too early: at worst a delivery is answered 429, and obeys. */
const FLIGHT_MS = 500;

const spareScript = loadScript(import.meta.dirname, 'spare-permit', 'time');

/** Permits for what may as well be left out: they leave deliveries more than half of each rate, and never wait. */
export class SparePermits {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /**
   * Rates that have no half, one send in a time, are not asked: who calls keeps a rhythm of its own there.
   * @param permit named once  @returns whether something may be sent now
   */
  async take({ channel, account, rates }: Omit<SendLimits, 'flightMs'>, permit: string): Promise<boolean> {
    const shared = rates.filter(({ count }) => count > 1);
    if (shared.length === 0) return true;
    const keys = shared.map(({ scope, key }) => this.keyspace.sendRate(channel, account, `${scope}:${key}`));
    const sizes = shared.flatMap(({ count, perMs }) => [count, perMs]);
    return (await spareScript.run(this.redis, keys, [permit, FLIGHT_MS, ...sizes])) === 1;
  }
}
