import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, generic, sends, shown, type LogLine, type Said } from './chat-world.js';
import type { Member } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

let world: ChatWorld;
const members: Member[] = [];

async function startHooked(kind: 'runner' | 'dispatcher'): Promise<Member> {
  const member = world.fleet.spawn(kind, {}, `hooked-${kind}`);
  members.push(member);
  await member.ready;
  return member;
}

beforeAll(async () => {
  world = await ChatWorld.start({ runners: 0, dispatchers: 0 });
  await Promise.all([startHooked('runner'), startHooked('dispatcher')]);
}, 90_000);
afterAll(() => world?.close());

/** What hooks were told about a turn, by every member there ever was, in the order of each. */
function told({ session, turn }: Said, hook: string): LogLine[] {
  return members
    .flatMap(({ lines }) => lines)
    .filter((line) => line['hook'] === hook && line['session'] === session && (line['turn'] ?? turn) === turn);
}

async function toldTimes(said: Said, hook: string, times: number): Promise<LogLine[]> {
  return waitUntil(
    `${hook} is told ${times} times`,
    () => told(said, hook),
    ({ length }) => length >= times,
  );
}

describe('hooks on real processes', () => {
  proves(
    'TU-3',
    'every text is rewritten before it is stored; each part of a turn is told, from the message to its deliveries',
    async () => {
      const said = await world.say(generic('dedupe', 'whole'), 'go', [
        { text: 'narrating a secret', ...sends('sending a secret') },
        { text: 'the secret' },
      ]);
      const record = await world.settled(said);
      expect(shown(world.dedupe, 'whole')).toEqual(['narrating a ***', 'sending a ***', 'the ***']);
      expect(record).toMatchObject({ outcome: 'answered' });

      const sent = await toldTimes(said, 'message_sent', 3);
      expect(sent.map(({ text, mode, state }) => [text, mode, state])).toEqual([
        ['narrating a ***', 'narration', 'sent'],
        ['sending a ***', 'immediate', 'sent'],
        ['the ***', 'final', 'sent'],
      ]);
      expect(await toldTimes(said, 'turn_end', 1)).toMatchObject([{ outcome: 'answered', steps: 2 }]);
      await waitUntil(
        'the failure of a hook is logged',
        () => world.lines({ msg: 'Hook failed', hook: 'turn_end' }),
        ({ length }) => length === 1,
      );
      for (const [hook, times] of [
        ['session_start', 1],
        ['message_received', 1],
        ['before_agent_start', 1],
        ['before_model_resolve', 1],
        ['before_prompt_build', 1],
        ['llm_input', 2],
        ['llm_output', 2],
        ['before_tool_call', 1],
        ['after_tool_call', 1],
        ['message_sending', 3],
        ['turn_end', 1],
      ] as const)
        expect([hook, told(said, hook).length]).toEqual([hook, times]);

      const next = await world.say(generic('dedupe', 'whole'), 'again');
      await world.settled(next);
      await toldTimes(next, 'turn_end', 1);
      expect(told(next, 'session_start')).toHaveLength(1);
    },
  );

  proves('TU-3', 'a refused call does not run; a refused turn tells the user why and asks no model', async () => {
    const call = { toolCalls: [{ name: 'once_tool', arguments: {} }] };
    const blocked = await world.settled(await world.say(generic('dedupe', 'blocked'), 'use the tool', [call]));
    expect(world.judge.executions).toEqual([]);
    expect(blocked.messages).toContainEqual(
      expect.objectContaining({ text: 'once_tool was not run: it is broken.', isError: true }),
    );

    const refused = await world.settled(await world.say(generic('dedupe', 'refused'), 'a forbidden question'));
    expect(refused).toMatchObject({ outcome: 'failed', reason: 'refused' });
    expect(shown(world.dedupe, 'refused')).toEqual(['I may not answer this: this topic is closed.']);
    expect(world.asked('a forbidden question')).toEqual([]);
  });

  proves(
    ['TU-1', 'TU-3'],
    'arguments a hook had edited survive a kill: the call runs again with them, and the hook is not asked again',
    async () => {
      const [first] = world.fleet.of('runner');
      if (!first) throw new Error('no runner');
      await world.fleet.arm(first, { at: 'turn.executed', act: 'kill' });
      const call = { toolCalls: [{ name: 'idempotent_tool', arguments: { value: 'original' } }] };
      const said = await world.say(generic('dedupe', 'killed'), 'edit this', [call]);
      await first.exited;
      await startHooked('runner');
      await world.settled(said);
      const after = await toldTimes(said, 'after_tool_call', 1);
      expect(after.map((line) => line['arguments'])).toEqual([{ value: `edited by ${first.name}` }]);
      expect(told(said, 'before_tool_call')).toHaveLength(1);
      const runs = world.judge.executions.filter(({ turn }) => turn === said.turn);
      expect(new Set(runs.map(({ callId }) => callId)).size).toBe(1);
      expect(runs.map(({ process }) => process)).toEqual([first.name, world.fleet.of('runner')[0]?.name]);
    },
  );
});
