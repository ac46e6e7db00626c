import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { BOT, ChatWorld, generic, send, sends, telegramChat, WEBHOOK_SECRET, type LogLine, type Said } from './chat-world.js';
import { telegramFault } from './fakes/telegram-server.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const EVERY_LINE = ['time', 'level', 'name', 'msg'];
const OF_TURN = ['turnId', 'session', 'tenant'];
/** Written only where content is logged. */
const CONTENT = ['text', 'arguments'];
/** Only where there is one. */
const OPTIONAL = ['reason'];

interface Promised {
  by: string;
  fields: string[];
}

/** The table of docs/logs.md: message -> process and further fields. */
const promised: ReadonlyMap<string, Promised> = new Map(
  readFileSync(new URL('../docs/logs.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, msg, by]) => msg?.startsWith('`') && /^(runner|dispatcher)$/.test(by ?? ''))
    .map(([, msg = '', by = '', , fields = '']) => [
      msg.replaceAll('`', ''),
      { by, fields: fields.replaceAll('`', '').split(', ') },
    ]),
);

/** A turn that shows all six: sends in each mode, one of them refused, a tool, narration, an answer. */
async function wholeTurn(world: ChatWorld, chat: string): Promise<Said> {
  const said = await world.say(telegramChat(chat), `question ${chat}`, [
    { ...sends(`at once ${chat}`), text: `narration ${chat}` },
    { toolCalls: [send(`batched ${chat}`, false)] },
    () => (world.telegram.fail(telegramFault.blocked()), sends(`refused ${chat}`)),
    { text: `answer ${chat}` },
  ]);
  await world.settled(said);
  await world.endLine(said);
  return said;
}

const ofTurn = (world: ChatWorld, { turn }: Said): LogLine[] =>
  world.lines({ turnId: turn }).filter(({ msg }) => promised.has(String(msg)));
const written = (world: ChatWorld): string => JSON.stringify(world.lines({}));

function expectFields(line: LogLine, { content }: { content: boolean }): void {
  const { by, fields } = promised.get(String(line['msg'])) ?? { by: '', fields: [] };
  const wanted = [...EVERY_LINE, ...OF_TURN, ...fields].filter(
    (field) => !OPTIONAL.includes(field) && (content || !CONTENT.includes(field)),
  );
  expect(Object.keys(line).sort()).toEqual(wanted.sort());
  expect(line['name']).toBe(by);
}

describe('the lines of a turn', () => {
  let world: ChatWorld;
  beforeAll(async () => {
    world = await ChatWorld.start();
  }, 90_000);
  afterAll(() => world?.close());

  proves('OUT-4', 'all six, from the process and with the fields that docs/logs.md promises', async () => {
    expect([...promised.keys()].sort()).toEqual(
      ['Message delivered', 'Message fell back to batch', 'Message queued', 'Tool call', 'Turn ended', 'Turn started'].sort(),
    );
    const said = await wholeTurn(world, '101');
    const lines = ofTurn(world, said);
    expect(new Set(lines.map(({ msg }) => msg))).toEqual(new Set(promised.keys()));
    for (const line of lines) expectFields(line, { content: false });
    const of = (msg: string) => lines.filter((line) => line['msg'] === msg);
    expect(of('Turn started')).toMatchObject([{ level: 'info', agent: 'main', messageIds: [said.id], attempt: 1 }]);
    expect(of('Tool call')).toMatchObject(Array(3).fill({ level: 'info', tool: 'message', isError: false }));
    expect(of('Message fell back to batch')).toMatchObject([{ level: 'warn', fellBackToBatch: true, deliveryMode: 'batched' }]);
    expect(of('Turn ended')).toMatchObject([{ outcome: 'answered', steps: 4, immediateCount: 1, batchedCount: 2 }]);
  });

  proves('OUT-4', 'what was queued and what was delivered can be compared by sequenceInTurn', async () => {
    const said = await wholeTurn(world, '102');
    const modes = (...messages: string[]) =>
      Object.fromEntries(
        ofTurn(world, said)
          .filter(({ msg }) => messages.includes(String(msg)))
          .map((line) => [line['sequenceInTurn'], line['deliveryMode']]),
      );
    const queued = modes('Message queued', 'Message fell back to batch');
    expect(queued).toEqual({ 1: 'narration', 2: 'immediate', 3: 'batched', 4: 'immediate', 5: 'batched', 6: 'final' });
    const { 4: _refused, ...delivered } = queued;
    const seen = () => modes('Message delivered');
    const wanted = Object.keys(delivered).length;
    expect(await waitUntil('all is logged', seen, (now) => Object.keys(now).length >= wanted)).toEqual(delivered);
    const deliveries = ofTurn(world, said).filter(({ msg }) => msg === 'Message delivered');
    expect(deliveries.every((line) => Number(line['deliveredAt']) > 1_700_000_000_000)).toBe(true);
    const ids = world.telegram.posts.filter(({ chatId }) => chatId === '102').map(({ messageId }) => [String(messageId)]);
    expect(deliveries.map((line) => line['platformIds'])).toEqual(ids);
  });

  proves('OUT-4', 'no line holds what people or the model wrote', async () => {
    const said = await wholeTurn(world, '103');
    for (const what of ['question', 'narration', 'at once', 'batched', 'refused', 'answer'])
      expect(written(world)).not.toContain(`${what} 103`);
    expect(JSON.stringify(ofTurn(world, said))).toContain(said.id);
  });

  proves(['OUT-4', 'OP-4'], 'no line holds a token, a key or a secret, even when things fail', async () => {
    world.telegram.fail(telegramFault.unauthorized());
    await world.settled(await world.say(telegramChat('104', 'two'), 'unauthorised'));
    world.plain.fail({ kind: 'reset' });
    await world.settled(await world.say(generic('plain', '104'), 'reset'));
    await world.settled(await world.say(generic('plain', '104b'), 'wrong key', [{ status: 401 }]));
    const dead = world.lines({ msg: 'Message given up' }, 'dispatcher').map((line) => line['reason']);
    expect(dead).toContain('unauthorized: the bot token is not valid');
    expect(world.lines({ msg: 'Turn failed' }, 'runner')).toMatchObject([{ code: 'auth' }]);
    for (const secret of [BOT.one, BOT.two, WEBHOOK_SECRET, 'a-telegram-secret-token', 'test-admin-token-0000'])
      expect(written(world)).not.toContain(secret);
    for (const { name, lines } of world.fleet.of('runner')) expect(JSON.stringify(lines)).not.toContain(name);
  });
});

describe('with log.content', () => {
  let world: ChatWorld;
  beforeAll(async () => {
    world = await ChatWorld.start({ config: { log: { content: true } } });
  }, 90_000);
  afterAll(() => world?.close());
  afterEach(() => world.reconfigure({ log: { level: 'info' } }));

  proves('OUT-4', 'texts and arguments are written, secrets still are not', async () => {
    const said = await wholeTurn(world, '201');
    const lines = ofTurn(world, said);
    for (const line of lines) expectFields(line, { content: true });
    const of = (msg: string) => lines.filter((line) => line['msg'] === msg);
    expect(of('Turn started')).toMatchObject([{ text: 'question 201' }]);
    expect(of('Message delivered').map((line) => line['text'])).toEqual([
      'narration 201',
      'at once 201',
      'batched 201',
      'refused 201',
      'answer 201',
    ]);
    expect(of('Tool call')[0]).toMatchObject({ arguments: JSON.stringify({ content: 'at once 201' }) });
    await world.settled(await world.say(telegramChat('202'), `my secret is ${WEBHOOK_SECRET}`));
    expect(world.lines({ text: 'my secret is ***' })).not.toEqual([]);
    expect(written(world)).not.toContain(WEBHOOK_SECRET);
  });

  proves(['OUT-4', 'OP-6'], 'the level changes while the processes run', async () => {
    let probes = 0;
    const isLogged = async (): Promise<boolean> => {
      const said = await world.say(generic('plain', 'level'), `probe ${++probes}`);
      await world.settled(said);
      return ofTurn(world, said).length > 0;
    };
    expect(await isLogged()).toBe(true);
    setLevel('warn');
    await waitUntil('info lines stop', isLogged, (logged) => !logged);
    setLevel('info');
    await waitUntil('info lines come back', isLogged, Boolean);
  });

  /** The line that confirms a reload is itself below `warn`. */
  function setLevel(level: string): void {
    world.rewriteConfig({ log: { level } });
    world.control.configChanged();
  }
});
