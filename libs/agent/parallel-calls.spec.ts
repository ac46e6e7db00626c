import { describe, expect, test } from 'vitest';
import { TransientError } from '#kernel';
import type { Tool } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

type Call = { name: string; id?: string; arguments?: string };
const calls = (...steps: Call[][]) =>
  new TurnWorld((step) => (steps[step - 1] ? { calls: steps[step - 1] ?? [] } : { text: 'ok' }));
const results = (world: TurnWorld) =>
  world.progress.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
const at = (n: number) => JSON.stringify({ n });

/** Resolves its calls in the order in which they are let go. */
function gates() {
  const open = new Map<unknown, () => void>();
  const begun: unknown[] = [];
  const execute: Tool['execute'] = async ({ n }) => {
    begun.push(n);
    await new Promise<void>((resolve) => open.set(n, resolve));
    return { text: `result ${String(n)}`, isError: false };
  };
  return { execute, begun, letGo: (n: number) => open.get(n)?.() };
}

describe('calls side by side', () => {
  test('TU-2 run together where all may, with one step for their start, and their results keep the order of the calls', async () => {
    const { execute, begun, letGo } = gates();
    const world = calls([1, 2, 3].map((n) => ({ name: 'look', arguments: at(n) }))).addTool('look', 'pure', execute);
    const run = world.run();
    await expect.poll(() => begun).toEqual([1, 2, 3]);
    for (const n of [3, 1, 2]) letGo(n);
    await run;
    expect(results(world)).toEqual(['result 1', 'result 2', 'result 3']);
    expect(world.steps[1]).toEqual(['started', 'started', 'started']);
  });

  test('TU-2 results are journalled as they come; those that end together share a step', async () => {
    const world = calls([1, 2, 3].map((n) => ({ name: 'look', arguments: at(n) }))).addTool('look', 'pure');
    await world.run();
    expect(world.steps).toEqual([
      ['answer'],
      ['started', 'started', 'started'],
      ['finished', 'finished', 'finished'],
      ['answer'],
    ]);

    const { execute, begun, letGo } = gates();
    const slow = calls([1, 2].map((n) => ({ name: 'look', arguments: at(n) }))).addTool('look', 'pure', execute);
    const run = slow.run();
    await expect.poll(() => begun).toEqual([1, 2]);
    letGo(2);
    await expect.poll(() => slow.steps.at(-1)).toEqual(['finished']);
    letGo(1);
    await run;
    expect(slow.steps).toEqual([['answer'], ['started', 'started'], ['finished'], ['finished'], ['answer']]);
  });

  test.each([
    ['that has an effect', 'write'],
    ['that does not exist', 'gone'],
  ])('TU-2 one call %s makes all of its answer run one after the other', async (_what, name) => {
    let running = 0;
    const execute: Tool['execute'] = async () => {
      expect((running += 1)).toBe(1);
      await Promise.resolve();
      running -= 1;
      return { text: 'x', isError: false };
    };
    const world = calls([{ name: 'look', arguments: at(1) }, { name }, { name: 'look', arguments: at(2) }]);
    await world.addTool('look', 'pure', execute).addTool('write', 'once', execute).run();
    expect(world.steps.every((step) => step.length === 1)).toBe(true);
  });

  test('TU-2 a tool says for itself whether it may', async () => {
    const world = calls(
      [{ name: 'post' }, { name: 'post', arguments: at(2) }],
      [{ name: 'scan' }, { name: 'scan', arguments: at(2) }],
    );
    world.addTool('post', 'once', undefined, { parallelSafe: true }).addTool('scan', 'pure', undefined, { parallelSafe: false });
    await world.run();
    expect(world.steps.filter((step) => step[0] === 'started').map((step) => step.length)).toEqual([2, 1, 1]);
  });

  test('TU-1 an error that ends the attempt stops the calls beside it, and what has ended is kept', async () => {
    const stopped: string[] = [];
    const world = calls([
      { name: 'quick', id: 'a' },
      { name: 'send', id: 'b' },
      { name: 'slow', id: 'c' },
    ]);
    world
      .addTool('quick', 'pure')
      .addTool(
        'send',
        'idempotent',
        async (_args, { sends, callId }) => {
          await expect.poll(() => world.journal.some((entry) => entry.k === 'finished')).toBe(true);
          await sends.now({ key: callId, text: 'x', mode: 'immediate', fellBack: false });
          return { text: '', isError: false };
        },
        { parallelSafe: true },
      )
      .addTool('slow', 'pure', (_args, _context, signal) => {
        signal.addEventListener('abort', () => stopped.push('slow'));
        return Promise.withResolvers<never>().promise;
      });
    world.now = () => Promise.reject(new TransientError('unavailable', 'connection lost'));
    await expect(world.run()).rejects.toMatchObject({ code: 'unavailable' });
    expect(stopped).toEqual(['slow']);
    expect(world.journal.filter((entry) => entry.k === 'finished')).toMatchObject([{ call: 'a' }]);
    expect(results(world)).toEqual(['quick done']);
  });
});

describe('results of pure tools', () => {
  test('TU-9 are reused for the same name and canonical arguments, in one answer and in later ones', async () => {
    const world = calls(
      [
        { name: 'read', arguments: '{"a":1,"b":2}' },
        { name: 'Read', arguments: '{"b":2,"a":1}' },
      ],
      [{ name: 'read', arguments: ' { "b": 2, "a": 1 } ' }],
      [{ name: 'read', arguments: '{"a":2,"b":2}' }],
    ).addTool('read', 'pure');
    await world.run();
    expect(world.ran).toEqual(['1.0', '3.0']);
    expect(results(world)).toHaveLength(4);
  });

  test('TU-9 are not reused after a call that may have changed what they read', async () => {
    const read = { name: 'read' };
    const world = calls([read], [{ name: 'write' }], [read], [read])
      .addTool('read', 'pure')
      .addTool('write', 'once');
    await world.run();
    expect(world.ran).toEqual(['1.0', '2.0', '3.0']);
  });

  test.each(['idempotent', 'once'] as const)('TU-9 of an %s tool are never reused', async (effect) => {
    const world = calls([{ name: 'act' }], [{ name: 'act' }]).addTool('act', effect);
    await world.run();
    expect(world.ran).toHaveLength(2);
  });

  test('TU-9 failures, and results that change by themselves, are not reused', async () => {
    const world = calls([{ name: 'now' }, { name: 'broken' }], [{ name: 'now' }, { name: 'broken' }]);
    world.addTool('now', 'pure', undefined, { volatile: true }).addTool('broken', 'pure', () => Promise.reject(new Error('x')));
    await world.run();
    expect(world.ran).toHaveLength(4);
  });

  test('TU-1 TU-9 what an earlier attempt journalled is reused', async () => {
    const world = calls([{ name: 'read' }], [{ name: 'read' }]).addTool('read', 'pure');
    world.journal.push(
      { k: 'answer', step: 1, text: '', toolCalls: [{ id: 'a', name: 'read', arguments: '{}' }] },
      { k: 'started', call: 'a' },
      { k: 'finished', call: 'a', text: 'kept', isError: false },
    );
    await world.run();
    expect([world.ran, results(world)]).toEqual([[], ['kept', 'kept']]);
  });
});
