import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConversationKey, MessageId, OutboxRowId, SessionKey } from '#kernel';
import { Keyspace } from './index.js';

const key = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', '_', '-', '~'), minLength: 1, maxLength: 60 });
const tagOf = (name: string): string | undefined => /^\{([^}]+)\}/.exec(name)?.[1];

test('B112 all keys of one session, and all of one conversation, share one hash tag: that of their bucket', () => {
  fc.assert(
    fc.property(key, fc.integer({ min: 1, max: 64 }), (text, buckets) => {
      const keyspace = new Keyspace(buckets, 'x:');
      const [session, conversation] = [text as SessionKey, text as ConversationKey];
      const [id, row] = ['m1' as MessageId, 'm1~0-1' as OutboxRowId];
      const bucket = keyspace.bucketOf(session);
      const names = [
        keyspace.head(session),
        keyspace.journal(session),
        keyspace.transcript(session),
        keyspace.outbox(session),
        keyspace.seen(session),
        keyspace.groupHistory(session),
        keyspace.groupHistoryIds(session),
        keyspace.events(session),
        keyspace.idempotency(session, id),
        keyspace.eventOnce(session, row),
        keyspace.mailbox(session, 'wait'),
        keyspace.deliveries(conversation),
        keyspace.conversation(conversation),
        keyspace.receipt(conversation, row),
        keyspace.busy('turns', bucket),
        keyspace.due('turns', bucket),
        keyspace.activation('turns', bucket, 'wait'),
      ];
      expect(new Set(names.map(tagOf))).toEqual(new Set([`x:b${bucket}`]));
      expect(new Set(names).size).toBe(names.length);
    }),
  );
});

test('B112 limits and access span buckets and have tags of their own', () => {
  const keyspace = new Keyspace(4);
  const tags = keyspace.buckets.map((bucket) => tagOf(keyspace.prefix(bucket)));
  for (const own of [keyspace.limits('run'), keyspace.access('row')]) expect(tags).not.toContain(tagOf(own));
});

test('QU-1 sessions are spread evenly over the buckets', () => {
  const keyspace = new Keyspace(16);
  const counts = Map.groupBy(
    Array.from({ length: 16_000 }, (_, n) => keyspace.bucketOf(`default.main.telegram.bot.direct.${n}` as SessionKey)),
    (bucket) => bucket,
  );
  expect(counts.size).toBe(16);
  for (const [, held] of counts) expect(Math.abs(held.length - 1000)).toBeLessThan(300);
});

test('QU-1 two deployments with namespaces of their own share no key', () => {
  const [one, two] = [new Keyspace(1, 'one:'), new Keyspace(1, 'two:')];
  const session = 's' as SessionKey;
  expect([one.head(session), one.limits('run'), one.receiptChannel('p')]).not.toEqual(
    expect.arrayContaining([two.head(session)]),
  );
  for (const name of ['head', 'journal', 'outbox'] as const) expect(one[name](session)).not.toBe(two[name](session));
  expect(one.limits('run')).not.toBe(two.limits('run'));
  expect(one.receiptChannel('p')).not.toBe(two.receiptChannel('p'));
});
