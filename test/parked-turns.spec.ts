import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ParkDecision, Target, TurnRecord } from '#contracts';
import { answerEnvelope, type ParkedTurn } from '#sessions';
import { ChatWorld, generic, shown, telegramChat, type Said } from './chat-world.js';
import type { Member } from './harness/fleet.js';
import { ACCEPT } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const GUARDED = { toolCalls: [{ name: 'once_tool', arguments: { value: 'as the model wrote it' } }] };
const asks = (question: string, ...choices: string[]) => ({
  toolCalls: [{ name: 'ask_user', arguments: { question, choices } }],
});

let world: ChatWorld;
let runner: Member;
let ingress: Member;

async function startRunner(): Promise<void> {
  runner = world.fleet.spawn('runner', {}, 'parking-runner');
  await runner.ready;
}

beforeAll(async () => {
  world = await ChatWorld.start({ runners: 0, config: { access: { dmPolicy: 'open' } } });
  [, [ingress = runner]] = await Promise.all([startRunner(), world.fleet.start('ingress')]);
}, 90_000);
afterAll(() => world?.close());

const records = ({ session, turn }: Said): Promise<TurnRecord[]> =>
  world.platform.sessions.transcript(session, 1000).then((all) => all.filter((record) => record.turn === turn));

async function parked({ session, turn }: Said): Promise<ParkedTurn> {
  const find = async () => (await world.platform.parks.list(session)).filter((park) => park.turn === turn);
  const [park] = await waitUntil(`${turn} is parked`, find, ({ length }) => length === 1);
  if (!park) throw new Error('waitUntil returned without a park');
  return park;
}

async function answer(park: ParkedTurn, decision: ParkDecision, text = ''): Promise<boolean> {
  const sender = { id: 'somebody', name: null, isBot: false };
  const envelope = answerEnvelope(park, { decision, text, sender, at: 1 });
  return !(await world.platform.sessions.accept(envelope, ACCEPT)).duplicate;
}

/** The record that counts, once the turn has its end. */
async function ended(said: Said): Promise<TurnRecord> {
  const last = async () => (await records(said)).at(-1);
  const record = await waitUntil(`${said.turn} has ended`, last, (found) => found !== undefined && found.outcome !== 'parked');
  if (!record) throw new Error('waitUntil returned without a record');
  await world.settled(said);
  return record;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  key = '',
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${ingress.url}/api/sessions/${path}`, {
    method,
    headers: {
      authorization: 'Bearer test-admin-token-0000',
      ...(key && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const results = ({ messages }: TurnRecord): string[] => messages.flatMap((one) => (one.role === 'tool' ? [one.text] : []));
const runs = (said: Said) => world.judge.executions.filter(({ turn }) => turn === said.turn).length;
const chat = (conversation: string): Target => generic('dedupe', conversation);

describe('a turn that asks a person', () => {
  proves('TU-7', 'holds nothing while it waits; others are answered meanwhile; the first answer takes it up', async () => {
    const said = await world.say(chat('ask'), 'paint it', [{ text: 'One question.', ...asks('Which colour?', 'red', 'blue') }]);
    const park = await parked(said);
    const meanwhile = await world.say(chat('ask'), 'how are you?');
    await world.settled(meanwhile);
    expect(await world.platform.sessions.state(said.session)).toMatchObject({ waiting: 0 });
    const waiting = `Waiting for the user's answer (code ${park.code}).`;
    expect(JSON.stringify(world.asked('how are you?')[0]?.body.messages)).toContain(waiting);

    expect(await answer(park, 'answered', 'blue')).toBe(true);
    expect([await answer(park, 'answered', 'red'), await answer(park, 'cancelled')]).toEqual([false, false]);
    const record = await ended(said);
    expect(record).toMatchObject({ outcome: 'answered', usage: { inputTokens: expect.any(Number) as number } });
    expect(record.inputs.map(({ id }) => id)).toEqual([said.id, expect.stringMatching(/^m/)]);
    expect(results(record)).toEqual(['blue']);
    expect(shown(world.dedupe, 'ask')).toEqual([
      'One question.',
      `Which colour?\n\n1. red\n2. blue\n\nAnswer with /answer ${park.code} and your answer or its number.`,
      'done how are you?',
      'done paint it',
    ]);
    const after = await world.say(chat('ask'), 'and now?');
    await world.settled(after);
    expect(JSON.stringify(world.asked('and now?')[0]?.body.messages)).not.toContain('Waiting for');
    expect(await world.platform.parks.list(said.session)).toEqual([]);
  });

  proves(
    ['TU-1', 'TU-7'],
    'an approved call runs once, with the arguments that were approved, whichever runner dies between question and answer',
    async () => {
      for (const at of ['runner.park-timed', 'runner.after-commit', 'runner.park-resumed', 'turn.executed'] as const) {
        await world.fleet.arm(runner, { at, act: 'kill' });
        const said = await world.say(chat(at), `run until ${at}`, [GUARDED]);
        const parks = at === 'runner.park-timed' || at === 'runner.after-commit';
        if (parks) await runner.exited.then(startRunner);
        expect(await answer(await parked(said), 'approved')).toBe(true);
        if (!parks) await runner.exited.then(startRunner);
        const record = await ended(said);
        expect([at, runs(said), results(record).length]).toEqual([at, 1, 1]);
        expect(shown(world.dedupe, at)).toEqual([expect.stringContaining('Run the tool?'), `done run until ${at}`]);
      }
    },
    { timeout: 90_000 },
  );

  proves(
    'TU-7',
    'over the API: invoke answers 202, a decision takes it up, the same request later finds the answer',
    async () => {
      world.script('guarded', [GUARDED]);
      const invoke = () => call('POST', 'api-park/invoke', { message: 'guarded' }, 'one');
      const waits = await invoke();
      const { code } = waits.body['park'] as { code: string };
      expect(waits).toMatchObject({
        status: 202,
        body: { outcome: 'parked', park: { kind: 'approval', title: 'Run the tool?' } },
      });
      expect(await invoke()).toMatchObject({ status: 202, body: { park: { code } } });
      const { body } = await call('GET', 'api-park/parks');
      expect(body['parks']).toMatchObject([{ code, tool: 'once_tool', arguments: '{"value":"as approved"}' }]);

      const say = async (said: unknown) => (await call('POST', `api-park/parks/${code}`, said)).status;
      expect(await say({ answer: 'blue' })).toBe(422);
      expect(await say({ decision: 'maybe' })).toBe(400);
      expect(await say({ decision: 'deny', reason: 'too risky' })).toBe(202);
      const done = await waitUntil('it is answered', invoke, ({ status }) => status === 200);
      expect(done.body).toMatchObject({ outcome: 'answered', text: 'done guarded' });
      expect(await say({ decision: 'approve' })).toBe(404);
      expect(JSON.stringify(world.asked('guarded')[1]?.body.messages)).toContain('did not allow it (too risky)');
      const { body: history } = await call('GET', 'api-park/messages');
      expect(JSON.stringify(history)).not.toContain('Waiting for');
    },
  );

  proves(['TU-7', 'RT-4'], 'by command, with the number of a choice', async () => {
    const said = await world.say(chat('command'), 'pick', [asks('Which?', 'red', 'blue')]);
    const { code } = await parked(said);
    const command = (message: string) => call('POST', `${said.session}/messages`, { message });
    expect(await command(`/approve ${code}`)).toMatchObject({
      body: { reply: `${code} is a question: /answer ${code} and your answer` },
    });
    expect(await command(`/answer ${code.toLowerCase()} 2`)).toMatchObject({ status: 200, body: { turn: said.turn } });
    expect(results(await ended(said))).toEqual(['blue']);
    expect((await command(`/answer ${code} 1`)).body['reply']).toContain('Nothing waits');
  });

  proves('TU-7', 'by a button in Telegram', async () => {
    const said = await world.say(telegramChat('7001'), 'with buttons', [GUARDED]);
    const { code } = await parked(said);
    const [post] = await world.telegram.nextMessages('7001', 1);
    expect(post?.buttons).toEqual([
      { text: 'Allow', data: `/approve ${code} yes` },
      { text: 'Refuse', data: `/approve ${code} no` },
    ]);
    const from = { id: 7001, is_bot: false, first_name: 'Ann' };
    const message = { message_id: post?.messageId, date: 1, chat: { id: 7001, type: 'private' } };
    const pressed = { update_id: 1, callback_query: { id: 'q', from, message, data: post?.buttons[0]?.data } };
    const response = await fetch(`${ingress.url}/webhooks/telegram/one`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': 'a-telegram-secret-token' },
      body: JSON.stringify(pressed),
    });
    expect(await response.json()).toEqual({ method: 'answerCallbackQuery', callback_query_id: 'q' });
    expect(await ended(said)).toMatchObject({ outcome: 'answered' });
    expect(runs(said)).toBe(1);
  });

  proves(['QU-3', 'TU-7'], 'a stop ends what waits for a person; a later yes comes too late', async () => {
    const said = await world.say(chat('stop'), 'wait for me', [{ text: 'One moment.', ...GUARDED }]);
    const park = await parked(said);
    expect(await call('DELETE', `${said.session}/turns/current`)).toMatchObject({ status: 202, body: { turn: said.turn } });
    expect(await answer(park, 'approved')).toBe(false);
    const record = await ended(said);
    expect(record).toMatchObject({
      outcome: 'cancelled',
      messages: [{ role: 'user' }, { text: 'One moment.' }, { role: 'tool' }],
    });
    expect(shown(world.dedupe, 'stop').at(-1)).toBe('Stopped.');
    expect(runs(said)).toBe(0);
    expect((await call('DELETE', `${said.session}/turns/current`)).status).toBe(404);
  });

  proves(['IN-4', 'TU-7'], 'a stop that comes again does not end what was asked after it', async () => {
    const first = await world.say(chat('again'), 'wait', [GUARDED]);
    await parked(first);
    const stop = () => call('POST', `${first.session}/messages`, { message: '/stop' }, 'stop once');
    expect(await stop()).toMatchObject({ status: 200, body: { parked: [first.turn], duplicate: false } });
    await ended(first);
    const later = await world.say(chat('again'), 'wait again', [GUARDED]);
    const park = await parked(later);
    expect(await stop()).toMatchObject({ status: 200, body: { parked: [], duplicate: true } });
    expect(await answer(park, 'approved')).toBe(true);
    expect(await ended(later)).toMatchObject({ outcome: 'answered' });
  });

  proves(
    'TU-7',
    'nobody answers in time: the call counts as refused, the question as unanswered, and the turn goes on',
    async () => {
      await world.reconfigure({ tools: { approval: { timeoutMs: 1000 } } });
      const said = await world.say(chat('late'), 'hello?', [asks('Are you there?'), GUARDED]);
      expect(results(await ended(said))).toEqual([
        'The user did not answer in time.',
        'once_tool was not run: nobody allowed it in time.',
      ]);
      expect(runs(said)).toBe(0);
      expect(shown(world.dedupe, 'late')).toHaveLength(3);
    },
  );
});
