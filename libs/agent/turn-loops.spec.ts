import { describe, expect, test } from 'vitest';
import { Killed, TurnWorld } from './turn-world.fixture.js';

const loopDetection = { enabled: true, warnAt: 2, blockAt: 3, unknownToolAt: 3, breakerAt: 30 };
const results = (world: TurnWorld) =>
  world.progress.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));

/** A model that calls the same tool until it reads that nothing was run, and then does `last`. */
function circling(last: 'answer' | 'go on', stubborn = false): TurnWorld {
  const world = new TurnWorld((_step, { messages }) => {
    const told = messages.some((message) => message.role === 'tool' && message.text.startsWith('Nothing was run'));
    if (told && last === 'answer') return { text: 'what I have' };
    return { calls: [{ name: told && !stubborn ? 'other' : 'look' }] };
  });
  return world.addTool('look', 'idempotent').addTool('other', 'idempotent');
}

describe('a turn that goes round in circles', () => {
  test('TU-4 is warned, then its calls do not run and it may answer once more', async () => {
    const world = circling('answer');
    const { text } = await world.run({ loopDetection });
    expect(text).toBe('what I have');
    expect(world.ran).toHaveLength(3);
    expect(results(world)).toEqual([
      'look done',
      'look done\n\nYou are not getting on: look was called 2 times with the same arguments and brought nothing new. Do something else, or answer with what you have.',
      'look done',
      'Nothing was run, because look was called 3 times with the same arguments and brought nothing new. Answer the user now with what you have, or do something else.',
    ]);
  });

  test('TU-4 ends the second time, with a reason of its own', async () => {
    const world = circling('go on', true);
    await expect(world.run({ loopDetection })).rejects.toMatchObject({ name: 'TerminalError', code: 'tool_loop' });
    expect(world.ran).toHaveLength(3);
    expect(world.requests).toHaveLength(5);
  });

  test('TU-4 may do something else after the first time, but not for ever', async () => {
    const world = circling('go on');
    await expect(world.run({ loopDetection })).rejects.toMatchObject({ code: 'tool_loop' });
    expect(world.ran).toHaveLength(6);
  });

  test('TU-4 a whole answer is blocked, not only the call that repeats', async () => {
    const world = new TurnWorld((step) =>
      step <= 4 ? { calls: [{ name: 'look' }, { name: 'other', arguments: `{"n":${step}}` }] } : { text: 'ok' },
    );
    await world.addTool('look', 'once').addTool('other', 'once').run({ loopDetection });
    expect(world.ran).toHaveLength(6);
    expect(world.steps.at(-2)).toEqual(['finished', 'finished']);
  });

  test.each([1, 4, 7, 9, 12, 14, 15])('TU-1 TU-4 knows after a crash at contact %i what it knew before', async (killAt) => {
    const world = circling('go on', true);
    world.killAt = killAt;
    await expect(world.run({ loopDetection })).rejects.toBeInstanceOf(Killed);
    world.killAt = Number.POSITIVE_INFINITY;
    await expect(world.run({ loopDetection })).rejects.toMatchObject({ code: 'tool_loop' });
    const answers = world.journal.filter(({ k }) => k === 'answer');
    expect([answers.length, new Set(world.ran).size]).toEqual([5, 3]);
  });

  test('TU-1 TU-4 a call that an earlier attempt began is not said to be blocked, whatever is configured by now', async () => {
    const world = new TurnWorld(() => ({ text: 'ok' })).addTool('act', 'once');
    for (const step of [1, 2, 3, 4]) {
      world.journal.push({ k: 'answer', step, text: '', toolCalls: [{ id: `c${step}`, name: 'act', arguments: '{}' }] });
      world.journal.push({ k: 'started', call: `c${step}` });
      if (step < 4) world.journal.push({ k: 'finished', call: `c${step}`, text: 'done', isError: false });
    }
    await world.run({ loopDetection });
    expect(results(world).at(-1)).toContain('The outcome of act is unknown');
  });

  test('TU-9 the detector counts calls whose result was reused', async () => {
    const world = new TurnWorld((step) => (step <= 4 ? { calls: [{ name: 'read' }] } : { text: 'ok' })).addTool('read', 'pure');
    await world.run({ loopDetection });
    expect([world.ran.length, results(world).filter((text) => text.startsWith('Nothing was run')).length]).toEqual([1, 1]);
  });
});
