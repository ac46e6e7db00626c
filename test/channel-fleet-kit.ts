import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Target } from '#contracts';
import { ChatWorld, sends } from './chat-world.js';
import type { Fault } from './fakes/scripted-server.js';
import type { Member } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

/** A channel with its fake platform, as a fleet of real processes is configured for it. */
export interface FleetSubject {
  /** Section of the configuration; the account is called `kit`. */
  section: string;
  options: Record<string, unknown>;
  target(conversation: string): Target;
  /** A message of somebody, as the platform posts it: the same `n` is the same event. */
  event(n: number, conversation: string, text: string): { body: string; headers: Record<string, string> };
  /** What the platform took for a conversation, in the order in which it came, repeats and all. */
  taken(conversation: string): string[];
  /** What the next requests meet instead. */
  fail(...faults: Fault[]): void;
  /** How this platform says "too many, again in a second". */
  tooMany: Fault;
  /** A text that takes this channel five messages. */
  fiveParts: string;
  close(): Promise<void>;
}

/** Within this a webhook is answered whatever Redis does: the shortest hard deadline of a platform. */
const ACK_MS = 3_000;

/**
 * What a channel must hold in the product: real ingress, runner and dispatcher processes, a real Redis that stalls, and kills.
 * Beside `channelContract`, which holds the channel alone (docs/channel-adapters.md).
 */
export function channelFleetContract(name: string, make: () => Promise<FleetSubject>): void {
  describe(`channel contract in a fleet: ${name}`, () => {
    let subject: FleetSubject;
    let world: ChatWorld;
    let ingress: Member | undefined;

    beforeAll(async () => {
      subject = await make();
      world = await ChatWorld.start({
        config: {
          channels: { [subject.section]: { accounts: { kit: subject.options } } },
          access: { dmPolicy: 'open', groupPolicy: 'open', requireMention: false },
          lanes: { lockMs: 3000, deliveries: { requestTimeoutMs: 1400 } },
          session: { queue: { debounceMs: 0 } },
        },
      });
      [ingress] = await world.fleet.start('ingress');
    }, 90_000);
    afterAll(async () => {
      await world?.close();
      await subject?.close();
    });

    const post = async (n: number, conversation: string, text: string): Promise<{ status: number; ms: number }> => {
      const { body, headers } = subject.event(n, conversation, text);
      const { channel } = subject.target(conversation);
      const began = performance.now();
      const { status } = await fetch(`${ingress?.url}/webhooks/${channel}/kit`, { method: 'POST', body, headers });
      return { status, ms: performance.now() - began };
    };
    const takes = (conversation: string, count: number) =>
      waitUntil(
        `${count} messages at ${name}`,
        () => subject.taken(conversation).length,
        (seen) => seen >= count,
        30_000,
      );

    proves(['IN-3', 'IN-4'], 'an event that is posted five times at once is answered once', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => post(1, '7101', 'five times')));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      await takes('7101', 1);
      expect((await post(1, '7101', 'five times')).status).toBe(200);
      await world.idle();
      expect(subject.taken('7101')).toEqual(['done five times']);
      expect(world.asked('five times')).toHaveLength(1);
    });

    proves(
      ['IN-3', 'B050'],
      'while Redis stalls an event is refused within the deadline, and taken when it comes again',
      async () => {
        process.kill(world.redis.pid, 'SIGSTOP');
        const stalled = await post(2, '7102', 'stalled');
        process.kill(world.redis.pid, 'SIGCONT');
        expect(stalled.status).toBe(503);
        expect(stalled.ms).toBeLessThan(ACK_MS);
        await waitUntil(
          'it is taken',
          async () => (await post(2, '7102', 'stalled')).status,
          (status) => status === 200,
        );
        await takes('7102', 1);
        await world.idle();
        expect(subject.taken('7102')).toEqual(['done stalled']);
      },
    );

    proves(['OUT-1', 'B006'], 'a slow platform and one that asks to wait change no order and double nothing', async () => {
      subject.fail({ kind: 'slow', ms: 600 }, subject.tooMany);
      await world.settled(await world.say(subject.target('7103'), 'in order', [sends('A', 'B', 'C')]));
      expect(subject.taken('7103')).toEqual(['A', 'B', 'C', 'done in order']);
    });

    proves(
      ['OUT-1', 'B065', 'G5'],
      'the dispatcher is killed in the middle of five parts: each comes, in order, at most one of them twice',
      async () => {
        const said = await world.say(subject.target('7104'), 'at length', [{ text: subject.fiveParts }]);
        await takes('7104', 2);
        for (const dispatcher of world.fleet.of('dispatcher')) world.fleet.kill(dispatcher);
        await world.fleet.start('dispatcher');
        await world.settled(said);
        const taken = subject.taken('7104');
        const once = taken.filter((text, index) => text !== taken[index - 1]);
        expect(once).toHaveLength(5);
        expect(taken.length).toBeLessThanOrEqual(6);
        expect(once.join(' ').match(/\d+/g)).toEqual(subject.fiveParts.match(/\d+/g));
      },
    );
  });
}

/** Numbered words: every one of them has to arrive, in this order. @param units of one message */
export function fivePartsOf(units: number): string {
  const words: string[] = [];
  for (let length = 0; length < units * 4.5; length += (words.at(-1)?.length ?? 0) + 1) words.push(`word${words.length}`);
  return words.join(' ');
}
