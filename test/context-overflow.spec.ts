import { afterAll, beforeAll, expect } from 'vitest';
import { saidIn } from './fakes/last-said.js';
import { ContextWorld } from './context-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

/** Turns after which the next question is longer than the model's window. */
const FULL = 6;
const HITS = 3;

let world: ContextWorld;
/** Answers of the summary wait here, when a test says so. */
let gate: Promise<unknown> = Promise.resolve();
let cuts = 0;

beforeAll(async () => {
  world = await ContextWorld.start({
    answer: async ({ about, summary, request }) => {
      if (summary) await gate;
      if (about !== 'cut me' || cuts > 1) return undefined;
      const tools = [{ id: 't9', name: 'calculator', arguments: { expression: '1+1' } }];
      return request && cuts++ === 0 ? { toolCalls: tools, cutAfter: 2 } : undefined;
    },
  });
}, 120_000);

afterAll(() => world?.[Symbol.asyncDispose]());

const finals = (conversation: string): string[] =>
  world.channel.messages.filter((message) => message.conversation === conversation).map(({ text }) => text.slice(0, 60));

async function expectGoesOn(conversation: string): Promise<void> {
  const n = (await world.transcript(conversation)).length + 1;
  await world.say(conversation, n, `${conversation} goes on`);
  expect((await world.ended(conversation, n)).messages.at(-1)?.text).toBe(`answer to ${conversation} goes on`);
}

for (const point of ['turn.compacting', 'turn.summarised', 'turn.compacted']) {
  proves(
    ['TU-6', 'CX-2', 'TU-1'],
    `a runner killed at ${point}: compacted once, answered once, and the next turn reads the summary`,
    async () => {
      const conversations = Array.from({ length: HITS }, (_, n) => `${point}-${n}`);
      await Promise.all(conversations.map((conversation) => world.fill(conversation, FULL)));
      for (const [hit, conversation] of conversations.entries()) {
        await Promise.all(world.fleet.of('runner').map((member) => world.fleet.arm(member, { at: point, act: 'kill' })));
        await world.say(conversation, FULL + 1, `${conversation} what now`);
        await waitUntil(
          `${point} is hit`,
          () => world.fleet.hits().get(point)?.length ?? 0,
          (hits) => hits > hit,
        );
        await Promise.all(world.fleet.of('runner').map((member) => world.fleet.arm(member, { at: '', act: 'none' })));
        world.fleet.spawn('runner');
        expect(await world.ended(conversation, FULL + 1)).toMatchObject({
          outcome: 'answered',
          compaction: { upTo: expect.stringMatching(/~0$/) },
        });
      }
      for (const conversation of conversations) {
        await expectGoesOn(conversation);
        const records = await world.transcript(conversation);
        expect(records.filter(({ compaction }) => compaction)).toHaveLength(1);
        expect(records[FULL]?.compaction?.upTo).toBe(records[FULL - 4]?.turn);
        expect(records.at(-2)?.messages.at(-1)?.text).toBe(`answer to ${conversation} what now`);
        const asked = world.requests.findLast(
          ({ messages }) => saidIn(String(messages.at(-1)?.content)) === `${conversation} goes on`,
        );
        expect(String(asked?.messages[1]?.content)).toMatch(
          /^\[Summary of the conversation so far\]\n## Facts[^]*summary \d+\n\n/,
        );
        await waitUntil(
          'the answers are there',
          () => finals(conversation),
          (seen) => seen.length >= FULL + 2,
        );
        expect(finals(conversation).filter((text) => text === `answer to ${conversation} what now`)).toHaveLength(1);
      }
      expect(world.invalid).toEqual([]);
    },
    { timeout: 90_000 },
  );
}

proves(
  ['B033', 'TU-6'],
  'while a compaction runs other sessions are answered and mail waits; then both are answered, and the session is idle',
  async () => {
    await world.fill('long', FULL);
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    const before = world.asked.length;
    await world.say('long', FULL + 1, 'long 继续');
    await waitUntil(
      'the summary is asked for',
      () => world.asked.slice(before),
      (asked) => asked.includes('summary'),
    );
    await world.say('long', FULL + 2, 'long and this');
    await world.say('other', 1, 'other');
    expect((await world.ended('other', 1)).outcome).toBe('answered');
    expect(await world.transcript('long')).toHaveLength(FULL);
    opened.resolve();
    expect((await world.ended('long', FULL + 1)).messages.at(-1)?.text).toBe('answer to long 继续');
    expect((await world.ended('long', FULL + 2)).messages.at(-1)?.text).toBe('answer to long and this');
    await world.idle('long');
    expect(world.asked.slice(before).filter((about) => about === 'summary')).toHaveLength(1);
  },
);

proves(
  'TU-6',
  'a message longer than the window ends with a word about /new; the session goes on, and the message is cut in it',
  async () => {
    await world.say('giant', 1, 'w'.repeat(200_000));
    const failed = await world.ended('giant', 1);
    expect(failed).toMatchObject({
      outcome: 'failed',
      reason: 'context_overflow',
      messages: [{ role: 'user', text: 'w'.repeat(200_000) }],
    });
    const [notice] = await world.channel.nextMessages('giant', 1);
    expect(notice).toMatchObject({ deliveryMode: 'notice', text: expect.stringContaining('/new') });
    await expectGoesOn('giant');
  },
);

proves('TU-1', 'a tool call cut in mid-stream is not half stored: the next requests are valid, 20 turns on (B014)', async () => {
  await world.say('cut', 1, 'cut me');
  expect((await world.ended('cut', 1)).messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  for (let n = 2; n <= 21; n++) await expectGoesOn('cut');
  expect([cuts, world.invalid]).toEqual([2, []]);
});
