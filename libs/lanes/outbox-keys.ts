import type { SessionKey } from '#kernel';
import type { Keyspace } from '#redis';
import type { LaneName } from './lane.js';

/** What a script touches to delete an outbox row and, with the last one, the session's entry in `busy`. */
export function outboxKeys(k: Keyspace, session: SessionKey): string[] {
  const turns: LaneName = 'turns';
  return [
    k.outbox(session),
    k.journal(session),
    k.mailbox(session, 'wait'),
    k.mailbox(session, 'active'),
    k.busy(turns, k.bucketOf(session)),
  ];
}
