import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, generic, posted, reports, sends, shown, telegramChat } from './chat-world.js';
import { Doorway } from './fakes/doorway.js';
import { telegramFault } from './fakes/telegram-server.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

let world: ChatWorld;

beforeAll(async () => {
  world = await ChatWorld.start();
}, 90_000);
afterAll(() => world?.close());

const callsTo = (chatId: string) => world.telegram.calls.filter((call) => call.chatId === chatId);
const attemptsTo = (conversation: string) =>
  [...world.plain.attempts, ...world.dedupe.attempts].filter(({ message }) => message.conversation === conversation);

/** What the dead-letter queue shows of a conversation. */
async function deadLettersOf(conversation: string, { platform } = world): Promise<{ reason: string; text: string }[]> {
  const jobs = await Promise.all(platform.deadLetters.board.map((queue) => queue.getJobs(['waiting'])));
  const letters = jobs
    .flat()
    .map(({ data }) => data as { reason: string; row: { text: string; target: { conversation: string } } });
  return letters
    .filter(({ row }) => row.target.conversation === conversation)
    .map(({ reason, row }) => ({ reason, text: row.text }));
}

describe('outcomes of a send', () => {
  proves('OUT-1', 'rate limited: sent again, not before retry_after is over', async () => {
    world.telegram.fail(telegramFault.floodWait(2), telegramFault.floodWait(1));
    await world.settled(await world.say(telegramChat('101'), 'limited twice'));
    const [first, second, third] = callsTo('101').map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(2000);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(posted(world.telegram, '101')).toEqual(['done limited twice']);
  });

  proves('OUT-1', 'an error of the platform that proves nothing was sent: sent again', async () => {
    world.telegram.fail(telegramFault.serverError());
    world.plain.fail({ kind: 'answer', status: 503 });
    const said = [await world.say(telegramChat('102'), 'five hundred'), await world.say(generic('plain', '102'), 'unavailable')];
    await Promise.all(said.map((one) => world.settled(one)));
    expect(callsTo('102').map(({ answered }) => answered)).toEqual([500, 200]);
    expect(attemptsTo('102').map(({ answered }) => answered)).toEqual([503, 200]);
    expect(await deadLettersOf('102')).toEqual([]);
  });

  proves(['OUT-1', 'OP-3'], 'refused: a dead letter with its reason, and the next message is not held back', async () => {
    world.telegram.fail(telegramFault.blocked());
    await world.settled(await world.say(telegramChat('103'), 'blocked once'));
    expect(await deadLettersOf('103')).toEqual([
      { reason: '403 Forbidden: bot was blocked by the user', text: 'done blocked once' },
    ]);
    await world.settled(await world.say(telegramChat('103'), 'heard again'));
    expect(posted(world.telegram, '103')).toEqual(['done heard again']);
  });

  proves(['OUT-1', 'G5'], 'unknown: sent again where the receiver deduplicates, given up where it does not', async () => {
    world.dedupe.fail({ kind: 'stall' });
    world.plain.fail({ kind: 'stall' });
    const said = [await world.say(generic('dedupe', '104'), 'stalls'), await world.say(generic('plain', '104'), 'stalls here')];
    await Promise.all(said.map((one) => world.settled(one)));
    const [atDedupe, atPlain] = [world.dedupe, world.plain].map(({ attempts }) =>
      attempts.filter(({ message }) => message.conversation === '104'),
    );
    expect(atDedupe?.map(({ answered }) => answered)).toEqual(['stall', 200]);
    expect(new Set(atDedupe?.map(({ key }) => key)).size).toBe(1);
    expect(shown(world.dedupe, '104')).toEqual(['done stalls']);
    expect(atPlain?.map(({ answered }) => answered)).toEqual(['stall']);
    expect(await deadLettersOf('104')).toEqual([{ reason: 'timeout; the request may have arrived', text: 'done stalls here' }]);
  });
});

describe('a dispatcher killed in the middle of five chunks', () => {
  const text = Array.from({ length: 5 }, (_, n) => `${n} `.repeat(50))
    .join('')
    .trim();

  proves(['OUT-1', 'G5', 'OUT-2'], 'every chunk once, or once more and flagged; in order, as it was cut before', async () => {
    world.plain.fail({ kind: 'slow', ms: 0 }, { kind: 'slow', ms: 0 }, { kind: 'stall' });
    const said = await world.say(generic('plain', 'chunks'), 'five chunks', [{ text }]);
    await waitUntil(
      'the third chunk is on its way',
      () => attemptsTo('chunks').length,
      (seen) => seen === 3,
    );
    for (const dispatcher of world.fleet.of('dispatcher')) world.fleet.kill(dispatcher);
    const [other] = await startDispatcherThatCutsAt(200);
    await world.settled(said);
    const arrived = attemptsTo('chunks').map(({ message }) => message);
    expect(arrived.map(({ possibleDuplicate }) => possibleDuplicate)).toEqual([false, false, false, true, false, false]);
    expect(arrived[3]?.id).toBe(arrived[2]?.id);
    const once = arrived.filter(({ possibleDuplicate }) => !possibleDuplicate).map((message) => message.text);
    expect(once).toHaveLength(5);
    expect(once.map((part) => part.length <= 100)).toEqual(Array(5).fill(true));
    expect(once.map((part) => part.trim()).join(' ')).toBe(text);
    if (other) world.fleet.kill(other);
    await world.fleet.start('dispatcher');
  });

  function startDispatcherThatCutsAt(maxTextLength: number) {
    const config = JSON.parse(readFileSync(world.fleet.configPath, 'utf8')) as {
      channels: { webhook: { accounts: { plain: object } } };
    };
    Object.assign(config.channels.webhook.accounts.plain, { maxTextLength });
    const path = `${world.fleet.configPath}.${maxTextLength}`;
    writeFileSync(path, JSON.stringify(config));
    return world.fleet.start('dispatcher', 1, { TURNPIKE_CONFIG: path });
  }
});

describe('a channel that is down', () => {
  let door: Doorway;
  let down: ChatWorld;
  beforeAll(async () => {
    door = await Doorway.before(world.plain.url);
    const account = { secret: 'a-webhook-secret-of-the-test', outboundUrl: door.url, dedupe: false };
    down = await ChatWorld.start({
      config: {
        channels: { webhook: { accounts: { plain: account } } },
        tools: { message: { receiptWaitMs: 100 } },
        lanes: { deliveries: { maxAgeMs: 4000 } },
      },
    });
  }, 90_000);
  afterAll(async () => {
    await down?.close();
    await door?.shut();
  });

  proves(
    'B030',
    "a send that could not leave is the dispatcher's: the model is told not to repeat it, and one copy arrives",
    async () => {
      await door.shut();
      const again = ({ messages }: { messages: { role: string; content?: unknown }[] }) =>
        /"ok":false/.test(String(messages.at(-1)?.content)) ? sends('remember') : { text: 'ok' };
      const said = await down.say(generic('plain', 'b030'), 'remind me', [sends('remember'), again]);
      const record = await down.ended(said);
      expect(reports(record)).toMatchObject([
        { ok: true, state: 'queued', deliveryMode: 'immediate', note: expect.stringContaining('Do not send it again') },
      ]);
      await door.open();
      await down.settled(said);
      expect(shown(world.plain, 'b030')).toEqual(['remember', 'ok']);
      expect(down.lines({ msg: 'Message delivered', turnId: said.turn, sequenceInTurn: 1 })).toHaveLength(1);
    },
  );

  proves('OUT-1', 'older than its maximum age: a dead letter, not sent late', async () => {
    await door.shut();
    const said = await down.say(generic('plain', 'expired'), 'too late');
    await down.settled(said);
    await door.open();
    const fresh = await down.say(generic('plain', 'expired'), 'in time');
    await down.settled(fresh);
    expect(shown(world.plain, 'expired')).toEqual(['done in time']);
    expect(await deadLettersOf('expired', down)).toEqual([{ reason: 'expired', text: 'done too late' }]);
  });
});
