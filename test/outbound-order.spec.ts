import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, generic, posted, sends, shown, telegramChat, waits, type Line, type Said } from './chat-world.js';
import type { Fault } from './fakes/scripted-server.js';
import { telegramFault } from './fakes/telegram-server.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const CHATS = 50;

let world: ChatWorld;

beforeAll(async () => {
  world = await ChatWorld.start({
    config: { lanes: { lockMs: 3000, deliveries: { requestTimeoutMs: 1400 } }, shutdown: { graceMs: 2500 } },
    runners: 2,
    dispatchers: 2,
  });
}, 90_000);
afterAll(() => world?.close());

const callsTo = (chatId: string) => world.telegram.calls.filter((call) => call.chatId === chatId);

/** A request begins only when the one before it was answered. */
function expectOneAtATime(chatId: string): void {
  const calls = callsTo(chatId);
  for (const [index, { at }] of calls.entries()) {
    if (index > 0) expect(at).toBeGreaterThanOrEqual(calls[index - 1]?.answeredAt ?? Infinity);
  }
}

describe('one conversation', () => {
  const script = [
    { ...sends('file A'), text: 'step one done' },
    { ...sends('file B'), text: 'step two done' },
    { text: 'all done' },
  ];

  proves('B005', 'text beside tool calls and sends arrive in the order in which they were written', async () => {
    await world.settled(await world.say(generic('dedupe', 'b005'), 'two steps', script));
    expect(shown(world.dedupe, 'b005')).toEqual(['step one done', 'file A', 'step two done', 'file B', 'all done']);
  });

  proves('B005', 'an agent with narration off sends only what it was told to send', async () => {
    await world.settled(await world.say(generic('dedupe', 'b005-off'), 'two terse steps', script, { agent: 'terse' }));
    expect(shown(world.dedupe, 'b005-off')).toEqual(['file A', 'file B', 'all done']);
  });

  proves('B006', 'a slow first send holds back those behind it and no other chat', async () => {
    world.telegram.fail({ kind: 'slow', ms: 900 });
    const slow = await world.say(telegramChat('601'), 'A, B, C', [sends('A', 'B', 'C')]);
    await waitUntil('A is on its way', () => callsTo('601').length, Boolean);
    await world.settled(await world.say(telegramChat('602'), 'another chat'));
    expect(callsTo('602')[0]?.answeredAt).toBeLessThan(callsTo('601')[0]?.answeredAt ?? Infinity);
    await world.settled(slow);
    expect(posted(world.telegram, '601')).toEqual(['A', 'B', 'C', 'done A, B, C']);
    expectOneAtATime('601');
  });

  proves(
    ['B006', 'G5', 'T16'],
    `${CHATS} chats at once, nobody waits for a receipt, every request another latency: each keeps its order`,
    async () => {
      await world.reconfigure({ tools: { message: { receiptWaitMs: 0 } } });
      world.telegram.fail(
        ...Array.from({ length: CHATS * 4 }, (_, n): Fault => ({ kind: 'slow', ms: [300, 10, 90, 0][n % 4] ?? 0 })),
      );
      const chats = Array.from({ length: CHATS }, (_, n) => String(7000 + n));
      const said = await Promise.all(chats.map((chat) => world.say(telegramChat(chat), `ABC ${chat}`, [sends('A', 'B', 'C')])));
      await Promise.all(said.map((one) => world.settled(one)));
      for (const chat of chats) {
        expect(posted(world.telegram, chat)).toEqual(['A', 'B', 'C', `done ABC ${chat}`]);
        expectOneAtATime(chat);
      }
      await world.reconfigure({ tools: { message: { receiptWaitMs: 10_000 } } });
    },
  );

  proves('T4', 'two bots, two topics: each send reaches its own', async () => {
    const places = (['one', 'two'] as const).flatMap((bot) => ['11', '12'].map((topic) => ({ bot, topic })));
    const said = await Promise.all(
      places.map(({ bot, topic }) =>
        world.say(telegramChat('-100', bot, topic), `${bot} ${topic}`, [sends(`now ${bot} ${topic}`)]),
      ),
    );
    await Promise.all(said.map((one) => world.settled(one)));
    for (const { bot, topic } of places) {
      const sent = callsTo('-100').filter(({ token, threadId }) => token.includes(`bot-${bot}`) && threadId === Number(topic));
      expect(sent.map(({ text }) => text)).toEqual([`now ${bot} ${topic}`, `done ${bot} ${topic}`]);
    }
    expect(callsTo('-100')).toHaveLength(8);
  });
});

describe('retries', () => {
  proves('B065', 'a message whose first attempt fails is answered before those behind it begin', async () => {
    const busy = { status: 503, retryAfter: 1 };
    let attempts = 0;
    const chat = generic('dedupe', 'b065');
    const said: Said[] = [];
    said.push(await world.say(chat, 'A of b065', [() => (attempts++ === 0 ? busy : { text: 'answer A' })]));
    said.push(await world.say(chat, 'B of b065'), await world.say(chat, 'C of b065'));
    await Promise.all(said.map((one) => world.settled(one)));
    const asked = world.model.calls
      .map(({ body, at }) => ({ text: String(body.messages.at(-1)?.content), at }))
      .filter(({ text }) => text.endsWith('b065'));
    expect(asked.map(({ text }) => text)).toEqual(['A of b065', 'A of b065', 'B of b065', 'C of b065']);
    expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(shown(world.dedupe, 'b065')).toEqual(['answer A', 'done B of b065', 'done C of b065']);
  });

  proves(['B065', 'OUT-1'], 'a chunk that has to wait holds back the next one; retry_after is a floor', async () => {
    world.telegram.fail(telegramFault.floodWait(2));
    const text = 'word '.repeat(1000).trim();
    await world.settled(await world.say(telegramChat('651'), 'two chunks', [{ text }]));
    const calls = callsTo('651');
    expect(calls.map(({ answered }) => answered)).toEqual([429, 200, 200]);
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(2000);
    expect(posted(world.telegram, '651').join(' ').replace(/\s+/g, ' ').trim()).toBe(text);
    expectOneAtATime('651');
  });

  proves('B008', 'after a rate limit and its recovery each turn sends once, and no listener is left behind', async () => {
    const chat = telegramChat('801');
    const turn = async (text: string, lines: Line[]): Promise<Said> => {
      const said = await world.say(chat, text, lines, { watched: true });
      await world.settled(said);
      return said;
    };
    const { session } = await turn('zero', [{ text: '0' }]);
    const before = await listeners();
    let limited = false;
    await turn('one', [() => (limited ? { text: '1' } : ((limited = true), { status: 429, retryAfter: 0 }))]);
    for (const n of ['2', '3', '4', '5']) await turn(`turn ${n}`, [{ text: n }]);
    expect(world.asked('one')).toHaveLength(2);
    expect(callsTo('801').map(({ text }) => text)).toEqual(['0', '1', '2', '3', '4', '5']);
    const records = await world.platform.sessions.transcript(session, 10);
    const answers = records.map(({ messages }) => messages.filter(({ role }) => role === 'assistant').length);
    expect(answers).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await listeners()).toEqual(before);
    expect(world.lines({}).filter((line) => /MaxListeners/.test(String(line['text'])))).toEqual([]);
  });

  /** Clients of Redis and what they are subscribed to. */
  async function listeners(): Promise<{ clients: number; subscriptions: number }> {
    const list = (await world.redis.cli('client', 'list')).split('\n').filter((line) => !line.includes('cmd=client'));
    const subscriptions = list.reduce((sum, line) => sum + Number(/ sub=(\d+)/.exec(line)?.[1] ?? 0), 0);
    return { clients: list.length, subscriptions };
  }
});

describe('restarts', () => {
  /** A stranger's message through the real ingress; its status. */
  async function post(session: string): Promise<number> {
    const [ingress] = world.fleet.of('ingress');
    const response = await fetch(`${ingress?.url}/api/sessions/${session}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-admin-token-0000', 'content-type': 'application/json' },
      body: JSON.stringify({ message: `to ${session}` }),
    });
    return response.status;
  }

  const asked = [
    { how: 'asked to leave', signal: 'SIGTERM', code: 0 },
    { how: 'killed', signal: 'SIGKILL', code: null },
  ] as const;
  for (const { how, signal, code } of asked) {
    proves(
      ['B003', 'G3', 'G4'],
      `all workers ${how} under a turn, 5 queued behind it, 20 elsewhere: nothing missing or twice`,
      async () => {
        if (world.fleet.of('ingress').length === 0) await world.fleet.start('ingress');
        const chat = (conversation: string) => generic('dedupe', `${signal}-${conversation}`);
        const running = await world.say(chat('busy'), `${signal} running`, [sends('on it'), waits(2), { text: 'ready' }]);
        const queued: Said[] = [];
        for (let n = 1; n <= 5; n++) queued.push(await world.say(chat('busy'), `${signal} queued ${n}`));
        await world.askedTimes(`${signal} running`, 2);
        const workers = [...world.fleet.of('runner'), ...world.fleet.of('dispatcher')];
        const elsewhere = Array.from({ length: 20 }, (_, n) => world.say(chat(`other-${n}`), `${signal} other ${n}`));
        for (const { child } of workers) child.kill(signal);
        const ends = await Promise.all(workers.map(({ exited }) => exited));
        expect(ends.map((end) => end.code)).toEqual(workers.map(() => code));
        expect(await post(`${signal}-down`)).toBe(202);
        await Promise.all([world.fleet.start('runner', 2), world.fleet.start('dispatcher', 2)]);
        const others = await Promise.all(elsewhere);
        for (const said of [running, ...queued, ...others]) expect((await world.settled(said)).outcome).toBe('answered');
        await world.askedTimes(`to ${signal}-down`, 1);
        const answers = queued.map((_, n) => `done ${signal} queued ${n + 1}`);
        expect(shown(world.dedupe, `${signal}-busy`)).toEqual(['on it', 'ready', ...answers]);
        for (let n = 0; n < 20; n++) expect(shown(world.dedupe, `${signal}-other-${n}`)).toEqual([`done ${signal} other ${n}`]);
        expect(
          world.dedupe.attempts.filter(({ message }) => message.turnId === running.turn).map(({ message }) => message.text),
        ).toEqual(['on it', 'ready']);
      },
    );
  }
});
