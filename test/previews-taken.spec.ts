import { afterAll, beforeAll, expect } from 'vitest';
import { ChatWorld, posted, telegramChat } from './chat-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const STORY = { text: Array.from({ length: 180 }, (_, n) => `word${n}`).join(' '), chunkDelayMs: 12 };

let world: ChatWorld;

beforeAll(async () => {
  world = await ChatWorld.start({
    config: {
      channels: { telegram: { accounts: { one: { streaming: 'partial' } } } },
      lanes: { lockMs: 2000, stalledCheckMs: 500, deliveries: { requestTimeoutMs: 900 } },
    },
  });
}, 90_000);
afterAll(() => world?.close());

const callsOf = (chatId: string) => world.telegram.calls.filter((call) => call.chatId === chatId);
const previewed = (chatId: string) =>
  waitUntil(
    `${chatId} sees a preview`,
    () => callsOf(chatId).length,
    (seen) => seen > 0,
  );

proves(['OUT-3', 'OUT-1'], 'an answer whose taking the place is not confirmed takes it again: it is there once', async () => {
  const said = await world.say(telegramChat('-7010'), 'unconfirmed', [STORY]);
  await previewed('-7010');
  world.telegram.fail({ kind: 'stall' }, { kind: 'reset' });
  await world.settled(said);
  expect(posted(world.telegram, '-7010')).toEqual([STORY.text]);
  expect(callsOf('-7010').map(({ answered }) => answered)).toEqual(expect.arrayContaining(['stall', 'reset']));
});

proves(
  ['OUT-3', 'G5'],
  'the dispatcher is killed right behind the edit that takes the place: the answer is there once',
  async () => {
    const said = await world.say(telegramChat('-7011'), 'killed behind it', [STORY]);
    await previewed('-7011');
    const [dispatcher] = world.fleet.of('dispatcher');
    if (!dispatcher) throw new Error('no dispatcher');
    await world.fleet.arm(dispatcher, { at: 'dispatcher.sent', act: 'kill' });
    await dispatcher.exited;
    await world.fleet.start('dispatcher');
    await world.settled(said);
    expect(posted(world.telegram, '-7011')).toEqual([STORY.text]);
    expect(callsOf('-7011').filter(({ text }) => text === STORY.text).length).toBeGreaterThan(1);
  },
);
