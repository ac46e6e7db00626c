import { afterAll, beforeAll, expect } from 'vitest';
import { UnavailableError } from '#kernel';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
import { LanesWorld, openLanes, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const head = (conversation: string, field: string): Promise<number> =>
  world.platform.work.hget(world.platform.keyspace.head(sessionOf(conversation)), field).then(Number);

proves(
  ['G1', 'B094'],
  'script caches emptied between two accepts: everything is stored once, nothing is called a duplicate',
  async () => {
    await world.accept('flush', 1);
    await world.redis.cli('SCRIPT', 'FLUSH');
    const before = world.platform.multi.reconnects;
    const conversations = Array.from({ length: 20 }, (_, n) => `flushed-${n}`);
    const accepted = await Promise.all(conversations.map((conversation) => world.accept(conversation, 1)));
    expect(accepted.map(({ duplicate }) => duplicate)).toEqual(conversations.map(() => false));
    expect(await Promise.all(conversations.map((conversation) => world.waiting(conversation)))).toEqual(
      conversations.map((conversation) => [envelopeOf(targetOf(conversation), 1, '').id]),
    );
    expect(world.platform.multi.reconnects).toBeGreaterThan(before);
  },
);

proves(
  ['G1', 'B094'],
  'a full Redis refuses, and leaves no idempotency key: the same message is stored when there is room',
  async () => {
    await world.redis.cli('SCRIPT', 'FLUSH');
    await world.redis.cli('CONFIG', 'SET', 'maxmemory', '1mb');
    await expect(world.accept('full', 1)).rejects.toThrow(UnavailableError);
    await world.redis.cli('CONFIG', 'SET', 'maxmemory', '0');
    expect(await world.waiting('full')).toEqual([]);
    expect(await world.accept('full', 1)).toMatchObject({ duplicate: false });
    expect(await world.waiting('full')).toHaveLength(1);
  },
);

proves(
  ['IN-4', 'B094'],
  'two ingress processes are given one message at once, many times: stored once, one of them calls it new',
  async () => {
    const other = await openLanes(world.redis.url);
    const envelope = envelopeOf(targetOf('twins'), 1, 'hello');
    const all = await Promise.all(
      [world.platform, other].flatMap(({ sessions }) => Array.from({ length: 10 }, () => sessions.accept(envelope, ACCEPT))),
    );
    await other.close();
    expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(all.map(({ seq, fingerprint }) => `${seq} ${fingerprint}`)).size).toBe(1);
    expect(await world.waiting('twins')).toEqual([envelope.id]);
  },
);

proves(
  ['IN-4', 'B094'],
  'a message that comes again after its end is a duplicate with the first answer, and does not stay in the mailbox',
  async () => {
    const first = await world.accept('again', 1);
    await world.answer('again', '100.1.a', await world.takeTurn('again', '100.1.a'));
    expect(await world.accept('again', 1)).toEqual({ ...first, position: undefined, duplicate: true });
    expect(await world.waiting('again')).toEqual([]);
    expect(await world.mailbox('again', '101.1.a').take({ most: 1, history: 0 })).toEqual({ kind: 'released' });
  },
);

proves(
  ['IN-4', 'B094'],
  'another text under a used id is told apart by its fingerprint; an edit is a message of its own',
  async () => {
    const first = await world.accept('edited', 1, {}, 'before');
    const forged = await world.platform.sessions.accept(envelopeOf(targetOf('edited'), 1, 'after'), ACCEPT);
    expect(forged).toMatchObject({ duplicate: true, fingerprint: first.fingerprint });
    expect(await world.accept('edited', 2, {}, 'after')).toMatchObject({ duplicate: false, seq: first.seq + 1 });
  },
);

proves('B094', 'an id whose idempotency key is gone, and that ended lately, is still called a duplicate', async () => {
  await world.accept('short', 1, { idempotencyTtlMs: 1 });
  await world.answer('short', '100.1.a', await world.takeTurn('short', '100.1.a'));
  expect(await world.accept('short', 1)).toMatchObject({ duplicate: true });
});

proves('QU-2', 'a quiet window moves with each message, to five windows after the first at most', async () => {
  await world.accept('quiet', 1, { quietMs: 1000 });
  const first = await head('quiet', 'nb');
  const deadline = first + 4000;
  await world.accept('quiet', 2, { quietMs: 3000 });
  expect(await head('quiet', 'nb')).toBeGreaterThanOrEqual(first + 2000);
  await world.accept('quiet', 3, { quietMs: 60_000 });
  expect(await head('quiet', 'nb')).toBe(deadline);
});

proves('QU-2', 'a quiet window holds back what came in it; a command opens it for all of it at once', async () => {
  await world.accept('command', 1, { quietMs: 60_000 });
  await world.accept('command', 2, { quietMs: 60_000 });
  expect(await world.mailbox('command', '100.1.a').take({ most: 9, history: 0 })).toMatchObject({
    kind: 'tooEarly',
    why: 'quiet',
  });
  await world.accept('command', 3, { flush: true });
  expect((await world.takeTurn('command', '100.2.a', 9)).messages).toHaveLength(3);
});

proves('QU-2', 'a flush does not shorten the wait of a turn that backs off', async () => {
  await world.accept('backoff', 1);
  await world.takeTurn('backoff', '100.1.a');
  await world.mailbox('backoff', '100.1.a').hold(60_000, 'backoff');
  await world.accept('backoff', 2, { flush: true });
  await world.accept('backoff', 3, { quietMs: 10 });
  expect(await world.mailbox('backoff', '100.2.a').take({ most: 1, history: 0 })).toMatchObject({
    kind: 'tooEarly',
    why: 'backoff',
  });
});
