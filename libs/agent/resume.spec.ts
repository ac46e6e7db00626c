import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolCall } from '#contracts';
import type { Tool } from './index.js';
import { Killed, TurnWorld } from './turn-world.fixture.js';

const kind = fc.constantFrom('pure', 'idempotent', 'once', 'message', 'beside', 'once_beside');
const call = fc.record({ name: kind, value: fc.integer({ min: 1, max: 2 }) });
const plan = fc.array(fc.record({ narrates: fc.boolean(), tools: fc.array(call, { minLength: 1, maxLength: 3 }) }), {
  maxLength: 3,
});

type Plan = { narrates: boolean; tools: { name: string; value: number }[] }[];
const EFFECTS = { pure: 'pure', idempotent: 'idempotent', once: 'once', beside: 'idempotent', once_beside: 'once' } as const;

/** Every answer is a nonce: an answer that was asked for twice and used twice would show. */
function worldOf(steps: Plan, sameIds: boolean): TurnWorld {
  let nonce = 0;
  const world: TurnWorld = new TurnWorld((step) => {
    expect(world.journal.some((entry) => entry.k === 'answer' && entry.step === step)).toBe(false);
    nonce += 1;
    const planned = steps[step - 1];
    if (!planned) return { text: `final ${nonce}` };
    const calls = planned.tools.map(({ name, value }, index) => ({
      name,
      id: sameIds ? 'same' : `c${step}${index}`,
      arguments: JSON.stringify({ value }),
    }));
    return { text: planned.narrates ? `word ${nonce}` : '', calls };
  });
  for (const [name, effect] of Object.entries(EFFECTS)) {
    const execute: Tool['execute'] = async (_args, { callId }) => {
      expect(world.journal.some((entry) => entry.k === 'finished' && entry.call === callId)).toBe(false);
      return { text: 'ok', isError: false };
    };
    world.addTool(name, effect, execute, name.endsWith('beside') ? { parallelSafe: true } : {});
  }
  return world.addTool('message', 'idempotent', async (_args, { callId, sends }) => {
    await sends.now({ key: callId, text: callId, mode: 'immediate', fellBack: false });
    return { text: 'sent', isError: false };
  });
}

async function runThrough(world: TurnWorld, kills: readonly number[]) {
  for (const killAt of kills) {
    world.killAt = killAt;
    try {
      return await world.run();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
  world.killAt = Number.POSITIVE_INFINITY;
  return world.run();
}

/** Pure calls that an earlier answer had made, with nothing but pure calls since, and that ran all the same (TU-9). */
function reusedAndRun(answers: { toolCalls: readonly ToolCall[] }[], ran: readonly string[]): string[] {
  const reusable = new Set<string>();
  return answers.flatMap(({ toolCalls }) => {
    const before = new Set(reusable);
    const wrong: string[] = [];
    for (const { id, name, arguments: args } of toolCalls) {
      if (name !== 'pure') for (const kept of [before, reusable]) kept.clear();
      else if (before.has(args) && ran.includes(id)) wrong.push(id);
      if (name === 'pure') reusable.add(args);
    }
    return wrong;
  });
}

describe('a turn killed anywhere', () => {
  test('TU-1 TU-2 reuses every journalled answer and finished tool, follows the effect of those in doubt, side by side or not, and sends once in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
        async (steps, sameIds, kills) => {
          const world = worldOf(steps, sameIds);
          const result = await runThrough(world, kills);
          const answers = world.journal.flatMap((entry) => (entry.k === 'answer' ? [entry] : []));
          const calls = answers.flatMap((answer) => answer.toolCalls);

          expect(answers.map((answer) => answer.step)).toEqual(answers.map((_, index) => index + 1));
          expect(answers).toHaveLength(steps.length + 1);
          expect(world.requests.length - answers.length).toBeLessThanOrEqual(kills.length);
          expect(result).toMatchObject({
            text: answers.at(-1)?.text,
            steps: answers.length,
            usage: { inputTokens: 10 * answers.length },
          });
          expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length);

          for (const { id, name } of calls) {
            const times = world.ran.filter((ran) => ran === id).length;
            const finished = world.journal.filter((entry) => entry.k === 'finished' && entry.call === id);
            const started = world.journal.filter((entry) => entry.k === 'started' && entry.call === id);
            expect(finished).toHaveLength(1);
            expect(started.length).toBeLessThanOrEqual(1);
            expect(times).toBeGreaterThanOrEqual(name === 'pure' || name.startsWith('once') ? 0 : 1);
            if (times > 0) expect(started).toHaveLength(1);
            if (name.startsWith('once')) expect(times).toBeLessThanOrEqual(1);
            else expect(times).toBeLessThanOrEqual(1 + kills.length);
            const inDoubt = finished[0]?.k === 'finished' && finished[0].isError;
            if (inDoubt)
              expect([name.slice(0, 4), finished[0]]).toEqual([
                'once',
                expect.objectContaining({ text: expect.stringContaining('is unknown: the process stopped') }),
              ]);
          }
          expect(reusedAndRun(answers, world.ran)).toEqual([]);
          expect(world.steps.filter((ks) => new Set(ks).size > 1)).toEqual([]);

          const emitted = answers.flatMap(({ step, text, toolCalls }) => [
            ...(text && toolCalls.length > 0 ? [`text:${step}`] : []),
            ...toolCalls.filter((call) => call.name === 'message').map((call) => call.id),
          ]);
          expect(world.sent.map((send) => send.key)).toEqual(emitted);

          const expected = answers.flatMap((answer) => [answer.text, ...answer.toolCalls.map((call) => call.id)]);
          expect(result.messages.map((message) => (message.role === 'tool' ? message.callId : message.text))).toEqual(expected);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('TU-1 a `once` tool that was killed in the middle is not run again, and the model is told', async () => {
    const world = worldOf([{ narrates: false, tools: [{ name: 'once', value: 1 }] }], false);
    world.journal.push(
      { k: 'answer', step: 1, text: '', toolCalls: [{ id: 'c10', name: 'once', arguments: '{}' }] },
      { k: 'started', call: 'c10' },
    );
    await world.run();
    expect(world.ran).toEqual([]);
    expect(world.requests[0]?.messages.at(-1)).toMatchObject({
      text: 'The outcome of once is unknown: the process stopped while it ran. It was not run again.',
      isError: true,
    });
  });

  test('TU-1 a tool in doubt that is no longer in the catalog counts as `once`', async () => {
    const world = worldOf([], false);
    world.journal.push(
      { k: 'answer', step: 1, text: '', toolCalls: [{ id: 'a', name: 'gone', arguments: '{}' }] },
      { k: 'started', call: 'a' },
    );
    const { messages } = await world.run();
    expect(messages[1]).toMatchObject({ callId: 'a', text: expect.stringContaining('outcome of gone is unknown') });
  });

  test('TU-1 B005 text beside tools is not asked to leave again once its tools have begun', async () => {
    const world = worldOf([], false);
    world.journal.push(
      { k: 'answer', step: 1, text: 'word', toolCalls: [{ id: 'a', name: 'pure', arguments: '{}' }] },
      { k: 'started', call: 'a' },
    );
    expect(await world.run()).toMatchObject({ text: 'final 1' });
    expect(world.sent).toEqual([]);
  });

  test('TU-1 a reused answer is shown again, whole, because watchers start a step again when the fence rises', async () => {
    const world = worldOf([], false);
    world.journal.push({ k: 'answer', step: 1, text: 'kept', toolCalls: [] });
    expect(await world.run()).toMatchObject({ text: 'kept', steps: 1 });
    expect(world.requests).toEqual([]);
    expect(world.events).toEqual([{ type: 'text.delta', turn: 't~1', step: 1, offset: 0, text: 'kept' }]);
  });
});

test('MO-4 TU-1 what a model thought before its calls is in the journal, and a resumed turn sends it back', async () => {
  const world = new TurnWorld((step) =>
    step === 1
      ? [
          { type: 'thought', text: 'hmm', signature: 's1' },
          { type: 'tool_call', id: 'a', name: 'once', arguments: '{}', signature: 's2' },
          { type: 'stop', reason: 'tool_calls' },
        ]
      : { text: 'done' },
  ).addTool('once', 'once');
  const thoughts = { reasoning: [{ provider: 'fake', model: 'm', text: 'hmm', signature: 's1' }] };
  const calls = { toolCalls: [{ id: 'a', signature: { provider: 'fake', text: 's2' } }] };
  await world.run();
  expect(world.journal[0]).toMatchObject({ k: 'answer', ...thoughts, ...calls });
  world.journal.splice(-1);
  await world.run();
  expect(world.requests.at(-1)?.messages[1]).toMatchObject({ role: 'assistant', ...thoughts, ...calls });
});
