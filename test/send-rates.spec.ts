import { afterEach, beforeEach, expect } from 'vitest';
import { DeliveryWorld, telegramTo } from './delivery-world.js';
import { waitUntil } from './harness/wait-until.js';
import { sumOf } from './harness/metric-text.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';

const BOT_PER_SECOND = 30;
const CHATS = 200;
const GUARD = { timeout: 120_000 };

let world: DeliveryWorld;
beforeEach(async () => {
  world = await DeliveryWorld.open();
  await world.fleet.start('dispatcher', 2);
});
afterEach(() => world.close());

/** So many messages for one chat, behind each other. */
const relay = (chat: string, count: number) =>
  world.send(telegramTo(chat), ...Array.from({ length: count }, (_, index) => String(index + 1)));

const chats = Array.from({ length: CHATS }, (_, n) => String(1000 + n));
const arrivalsAt = (chat: string): number[] => world.telegram.calls.filter(({ chatId }) => chatId === chat).map(({ at }) => at);
const arrived = (least: number) =>
  waitUntil(
    `${least} messages are shown`,
    () => world.telegram.posts.length,
    (seen) => seen >= least,
  );

/** Requests in the worst sliding second, by the platform's clock, whatever it answered. */
function worstSecond(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));
}

function expectRatesKept(): void {
  expect(worstSecond(world.telegram.calls.map(({ at }) => at))).toBeLessThanOrEqual(BOT_PER_SECOND);
  for (const chat of new Set(world.telegram.calls.map(({ chatId }) => chatId)))
    expect(worstSecond(arrivalsAt(chat))).toBeLessThanOrEqual(1);
}

proves(
  ['OUT-1', 'T3', 'G6'],
  `${CHATS} chats wait for one bot: 30 a second and no more, each in its turn, and who comes last waits for those before it`,
  async () => {
    await Promise.all(chats.map((chat) => relay(chat, 1)));
    await relay('9001', 1);
    const asked = performance.now();
    await arrived(CHATS + 1);
    expectRatesKept();
    const waited = (arrivalsAt('9001')[0] ?? Infinity) - asked;
    expect(waited).toBeLessThanOrEqual(((CHATS + 1) / BOT_PER_SECOND + 1) * 1000);
    expect(world.telegram.calls).toHaveLength(CHATS + 1);
    const metrics = await Promise.all(world.fleet.of('dispatcher').map((member) => new OpsOf(member).metrics()));
    expect(sumOf(metrics.join(''), 'turnpike_outbound_throttled_total', { channel: 'telegram', scope: 'send' })).toBeGreaterThan(
      0,
    );
  },
  GUARD,
);

proves(
  ['OUT-1', 'T3', 'G6'],
  'one dispatcher of two killed while 200 chats wait: both rates hold, by the clock of the platform, and everything arrives in order',
  async () => {
    const many = chats.slice(0, 10);
    await Promise.all(chats.map((chat) => relay(chat, many.includes(chat) ? 3 : 1)));
    await arrived(CHATS / 4);
    const [victim] = world.fleet.of('dispatcher');
    if (victim) await world.fleet.arm(victim, { at: 'dispatcher.sent', act: 'kill' });
    await victim?.exited;
    const all = CHATS + 2 * many.length;
    await waitUntil(
      'every message is shown',
      () => new Set(world.telegram.posts.map(({ chatId, text }) => `${chatId} ${text}`)).size,
      (seen) => seen === all,
    );
    expectRatesKept();
    for (const chat of many) {
      const shown = world.telegram.posts.filter(({ chatId }) => chatId === chat).map(({ text }) => text);
      expect(shown.filter((text, index) => text !== shown[index - 1])).toEqual(['1', '2', '3']);
    }
  },
  GUARD,
);

proves(
  ['OUT-1', 'T3', 'B006'],
  'one chat is flooded: the messages of others leave at once',
  async () => {
    await relay('666', 300);
    await waitUntil(
      'the flood has begun',
      () => arrivalsAt('666').length,
      (seen) => seen >= 2,
    );
    // A machine that is busy with other tests may hold up one of them; a flood in front of them would hold up every round.
    const rounds: number[] = [];
    for (let from = 0; from < BOT_PER_SECOND - 3 && !(Math.min(...rounds) < 200); from += 9)
      rounds.push(await longestWait(chats.slice(from, from + 9)));
    expect(Math.min(...rounds)).toBeLessThan(200);
    expectRatesKept();
  },
  GUARD,
);

/** Of one message to each chat, one after the other: from the relay to the platform, ms. */
async function longestWait(to: readonly string[]): Promise<number> {
  let longest = 0;
  for (const chat of to) {
    const asked = performance.now();
    await relay(chat, 1);
    await world.telegram.nextMessages(chat, 1);
    longest = Math.max(longest, (arrivalsAt(chat)[0] ?? Infinity) - asked);
  }
  return longest;
}
