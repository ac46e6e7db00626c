import type { SessionKey, TenantId } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';

/** Keys that Redis looks at in one call, and calls for one page: a page costs no other user more than a moment. */
const LOOKED_AT = 500;
const MOST_CALLS = 40;

export interface SessionPage {
  sessions: SessionKey[];
  /** Where the next page begins; undefined: that was all. */
  next: string | undefined;
}

/**
 * Sessions that were ever written to, in no order. For people and programs that look around, not for work: it walks over the
 * keys, because no turn pays for an index. A page may hold fewer than `most` and still have a next one.
 */
export async function listSessions(
  redis: RedisClient,
  keyspace: Keyspace,
  { tenant, after = '0', most }: { tenant: TenantId; after?: string | undefined; most: number },
): Promise<SessionPage> {
  const sessions: SessionKey[] = [];
  let cursor = after;
  for (let call = 0; call < MOST_CALLS && sessions.length < most; call += 1) {
    const [next, heads] = await redis.scan(cursor, 'MATCH', keyspace.headPattern(tenant), 'COUNT', LOOKED_AT);
    sessions.push(...heads.map((head) => keyspace.sessionOfHead(head)));
    cursor = next;
    if (cursor === '0') break;
  }
  return { sessions, next: cursor === '0' ? undefined : cursor };
}
