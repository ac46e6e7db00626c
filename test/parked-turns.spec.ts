import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ParkDecision, Target, TurnRecord } from '#contracts';
import { answerEnvelope, type ParkedTurn } from '#sessions';
import { ChatWorld, generic, shown, type Said } from './chat-world.js';
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

async function startRunner(): Promise<void> {
  runner = world.fleet.spawn('runner', {}, 'parking-runner');
  await runner.ready;
}

beforeAll(async () => {
  world = await ChatWorld.start({ runners: 0 });
  await startRunner();
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
        expect((await records(said)).map(({ outcome }) => outcome)).toEqual(['parked', 'answered']);
      }
    },
    { timeout: 90_000 },
  );
});
