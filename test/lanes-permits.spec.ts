import { afterAll, beforeAll, describe, expect } from 'vitest';
import { conversationOf } from '#host';
import { turnIdOf, type ConversationKey } from '#kernel';
import type { Claim, DeliveryMailbox, DeliveryTake, NumberedRow, SendRate } from '#lanes';
import { Receipts } from '#sessions';
import { envelopeOf } from './harness/mail.js';
import { LanesWorld, rowOf, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

const SENT = Receipts.final({ state: 'sent', platformIds: ['p1'], at: 1, possibleDuplicate: false });
const DEAD_FOR_LONG = 1_000;
const BOT: SendRate = { scope: 'bot', key: '', count: 1, perMs: 60_000 };

/** One bucket: rates ride along. Several: mostly the account is elsewhere, and is asked beside. */
for (const buckets of [1, 16]) {
  describe(`${buckets} bucket(s)`, () => {
    let world: LanesWorld;
    let activations = 100;
    beforeAll(async () => {
      world = await LanesWorld.open({ buckets });
    });
    afterAll(() => world.close());

    const rowsOf = (conversation: string, count: number, at = Date.now()): NumberedRow[] => {
      const turn = turnIdOf(envelopeOf(targetOf(conversation), 1, '').id, 0);
      return Array.from({ length: count }, (_, index) => ({
        number: 0,
        row: { ...rowOf(conversation, turn, index + 1, `text ${index + 1}`), at },
      }));
    };
    const first = <T>(list: readonly T[]): T => list[0] ?? expect.fail('the list is empty');
    const claimOf = ({ row }: NumberedRow, fence: string): Claim<ConversationKey> => {
      const token = `token-${fence}`;
      return {
        key: conversationOf(row),
        fence,
        activationId: fence.split('.')[0] ?? '',
        token,
        signal: new AbortController().signal,
      };
    };
    /** A dispatcher's hold on the conversation of `row`, at an account of the test's own. */
    const dispatcher = (row: NumberedRow, account: string, rates: SendRate[], fence = `${++activations}.1.a`): DeliveryMailbox =>
      world.conversation(claimOf(row, fence), { account, rates });
    const waitOf = (take: DeliveryTake): number => (take.kind === 'tooEarly' ? take.ms : expect.fail(`${take.kind}: not held`));
    const chat = (count: number, perMs: number): SendRate => ({ scope: 'chat', key: 'x', count, perMs });

    proves(
      ['OUT-3', 'OUT-1'],
      'previews get half of a rate, nothing while somebody waits, and no place in the line',
      async () => {
        const [one, two, three] = [rowsOf('spare 1', 1), rowsOf('spare 2', 1), rowsOf('spare 3', 1)];
        await world.platform.relay.relay([...one, ...two, ...three]);
        const rates = [{ ...BOT, count: 4 }, chat(1, 60_000)];
        let asked = 0;
        const spare = () => world.platform.sparePermits.take({ channel: 'generic', account: 'spare', rates }, `spare ${++asked}`);
        expect([await spare(), await spare(), await spare()]).toEqual([true, true, false]);
        expect(await dispatcher(first(one), 'spare', [{ ...BOT, count: 4 }]).take(9)).toMatchObject({ kind: 'deliveries' });
        expect(await dispatcher(first(two), 'spare', [{ ...BOT, count: 4 }]).take(9)).toMatchObject({ kind: 'deliveries' });
        expect(await dispatcher(first(three), 'spare', [{ ...BOT, count: 4 }]).take(9)).toMatchObject({ kind: 'tooEarly' });
        const wide = { channel: 'generic', account: 'spare', rates: [{ ...BOT, count: 100 }] };
        expect(await world.platform.sparePermits.take(wide, 'while one waits')).toBe(false);
      },
    );

    proves(['OUT-1', 'T3'], 'a second conversation of a bot waits until the answer to the first is a period old', async () => {
      const [one, two] = [rowsOf('one', 1), rowsOf('two', 1)];
      await world.platform.relay.relay([...one, ...two]);
      const mine = dispatcher(first(one), 'waits', [BOT]);
      expect(await mine.take(9)).toMatchObject({ kind: 'deliveries', state: 'q' });
      const other = dispatcher(first(two), 'waits', [BOT]);
      expect(waitOf(await other.take(9))).toBe(60_000);
      expect(await world.platform.work.get(world.receiptKey(first(two).row))).toMatch(/^q/);
      await mine.ack(first(one), SENT, undefined);
      // Held by its own notBefore from now on, whoever comes.
      expect(waitOf(await dispatcher(first(two), 'waits', [], '999.2.b').take(9))).toBeGreaterThan(59_000);
    });

    proves(
      ['OUT-1', 'T3'],
      'the permit of the next delivery comes with the acknowledgement, or how long to wait for it',
      async () => {
        const rows = rowsOf('next', 3);
        await world.platform.relay.relay(rows);
        const mine = dispatcher(first(rows), 'next', [BOT, chat(2, 60_000)].slice(1));
        await mine.take(9);
        const [a, b, c] = rows;
        expect(await mine.ack(a ?? first(rows), SENT, b?.row)).toMatchObject({ left: 2, waitMs: 0 });
        const refused = await mine.ack(b ?? first(rows), SENT, c?.row);
        expect(refused?.waitMs).toBeGreaterThan(59_000);
        await mine.hold(c?.row ?? expect.fail(), refused?.state ?? '', refused?.waitMs ?? 0);
        expect(await world.platform.work.get(world.receiptKey(c?.row ?? expect.fail()))).toMatch(/^q/);
      },
    );

    proves(['OUT-1', 'T3'], 'each chunk has a permit of its own', async () => {
      const rows = rowsOf('chunks', 1);
      await world.platform.relay.relay(rows);
      const mine = dispatcher(first(rows), 'chunks', [chat(2, 60_000)]);
      await mine.take(9);
      expect(await mine.mark(first(rows).row, 's{}')).toBe(true);
      expect(await mine.markNext(first(rows).row, 's{"done":1}')).toBe(0);
      expect(await mine.markNext(first(rows).row, 's{"done":2}')).toBeGreaterThan(59_000);
      const zombie = dispatcher(first(rows), 'chunks', [chat(9, 60_000)], '4.1.z');
      expect(await zombie.markNext(first(rows).row, 's{}')).toBe(-1);
    });

    proves(['OUT-1', 'T3', 'G6'], 'what the platform asks of one holds for all that share the rate', async () => {
      const [one, two, three] = [rowsOf('told', 1), rowsOf('same bot', 1), rowsOf('other bot', 1)];
      await world.platform.relay.relay([...one, ...two, ...three]);
      const rates = [{ ...BOT, count: 9 }, chat(9, 10)];
      const mine = dispatcher(first(one), 'told', rates);
      await mine.take(9);
      expect(await mine.hold(first(one).row, 'q', 1, { scope: 'bot', ms: 30_000 })).toBe(true);
      expect(waitOf(await dispatcher(first(two), 'told', rates).take(9))).toBeGreaterThan(29_000);
      expect(await dispatcher(first(three), 'not told', rates).take(9)).toMatchObject({ kind: 'deliveries' });
    });

    proves('OUT-1', 'what is too old to be sent, or final, waits for no permit', async () => {
      const maxAgeMs = world.platform.receiptTtlMs / 2;
      const [fresh, old] = [rowsOf('fresh', 1), rowsOf('old', 2, Date.now() - maxAgeMs - DEAD_FOR_LONG)];
      await world.platform.relay.relay([...fresh, ...old]);
      await dispatcher(first(fresh), 'old', [BOT]).take(9);
      const mine = dispatcher(first(old), 'old', [BOT]);
      expect(await mine.take(9)).toMatchObject({ kind: 'deliveries' });
      expect(await mine.ack(first(old), SENT, old[1]?.row)).toMatchObject({ left: 1, waitMs: 0 });
    });

    proves('OUT-1', 'the place of a dispatcher that died is free when its request can arrive no more', async () => {
      const [one, two] = [rowsOf('died', 1), rowsOf('behind', 1)];
      await world.platform.relay.relay([...one, ...two]);
      const rate = { ...BOT, perMs: 5_000 };
      await world.conversation(claimOf(first(one), '5.1.a'), { account: 'died', rates: [rate], flightMs: 4_000 }).take(9);
      const free = await world.platform.work.zrange(
        world.platform.keyspace.sendRate('generic', 'died', 'bot:'),
        '0',
        '-1',
        'WITHSCORES',
      );
      const [seconds = 0, micros = 0] = (await world.platform.work.time()).map(Number);
      expect(Number(free[1]) - (seconds * 1000 + micros / 1000)).toBeLessThanOrEqual(9_000);
      expect(waitOf(await dispatcher(first(two), 'died', [rate]).take(9))).toBeLessThanOrEqual(5_000);
    });
  });
}
