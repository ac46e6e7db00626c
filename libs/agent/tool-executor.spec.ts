import { describe, expect, test } from 'vitest';
import { LeaseLostError, TransientError } from '#kernel';
import type { SendState } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

const callsOnce = (call: { name: string; arguments?: string }) =>
  new TurnWorld((step) => (step === 1 ? { calls: [call] } : { text: 'ok' }));
const toolTexts = (world: TurnWorld) =>
  world.progress.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));

describe('tool calls', () => {
  test.each([
    ' battery',
    'battery ',
    'Battery',
    'functions.battery',
    'functions battery',
    'tools/battery',
    'mcp__phone__battery',
  ])('TU-5 B085 the name %j is understood', async (name) => {
    const world = callsOnce({ name }).addTool('battery', 'pure');
    await world.run();
    expect(world.progress.messages[1]).toMatchObject({ name: 'battery', text: 'battery done', isError: false });
  });

  test('TU-5 an unknown name is answered with the names there are', async () => {
    const world = callsOnce({ name: 'batery' }).addTool('battery', 'pure').addTool('clock', 'pure');
    await world.run();
    expect(toolTexts(world)).toEqual(['There is no tool named "batery". Available tools: battery, clock.']);
    expect(world.ran).toEqual([]);
  });

  test.each([
    ['{"a":', 'Unexpected end of JSON input'],
    ['[1]', 'it is another kind of value'],
    ['null', 'it is another kind of value'],
    ['"x"', 'it is another kind of value'],
  ])('TU-5 the arguments %j, cut or wrong, are answered with what is wrong and nothing runs', async (args, problem) => {
    const world = callsOnce({ name: 'battery', arguments: args }).addTool('battery', 'once');
    await world.run();
    expect(toolTexts(world)).toEqual([
      `The arguments of battery must be one JSON object (${problem}). Nothing was run; call it again.`,
    ]);
    expect(world.ran).toEqual([]);
  });

  test('TU-5 a throw is an observation; a lost lease is not', async () => {
    const broken = callsOnce({ name: 'db' }).addTool('db', 'pure', () => Promise.reject(new Error('no such table')));
    await broken.run();
    expect(toolTexts(broken)).toEqual(['db failed: no such table']);
    const lost = callsOnce({ name: 'db' }).addTool('db', 'pure', () => Promise.reject(new LeaseLostError('s', 'step')));
    await expect(lost.run()).rejects.toBeInstanceOf(LeaseLostError);
  });

  test('TU-2 a tool that ignores its time limit is abandoned, and can send nothing afterwards', async () => {
    let late: Promise<SendState> | undefined;
    const hung = Promise.withResolvers<never>();
    const world = callsOnce({ name: 'stuck' }).addTool(
      'stuck',
      'pure',
      (_args, { sends, callId }, signal) => {
        signal.addEventListener('abort', () => {
          late = sends.now({ key: callId, text: 'late', mode: 'immediate', fellBack: false });
          late.catch(() => undefined);
        });
        return hung.promise;
      },
      { timeoutMs: 10 },
    );
    await world.run();
    expect(toolTexts(world)).toEqual(['stuck did not finish within 0.01 s and was stopped.']);
    await expect(late).rejects.toThrow('stuck timed out');
    expect(world.sent).toEqual([]);
  });

  test('B030 a send whose fate is unknown ends the attempt instead of telling the model to send again', async () => {
    const world = callsOnce({ name: 'message' }).addTool('message', 'idempotent', async (_args, { sends, callId }) => {
      await sends.now({ key: callId, text: '提醒', mode: 'immediate', fellBack: false }).catch(() => undefined);
      return { text: 'not sent', isError: true };
    });
    world.now = () => Promise.reject(new TransientError('unavailable', 'connection lost'));
    await expect(world.run()).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.journal.map((entry) => entry.k)).toEqual(['answer', 'started']);
  });

  test('TU-5 a tool that fails five times in a row is withheld, the model is told, and a crash does not reset the count', async () => {
    const world = new TurnWorld((step) => (step <= 7 ? { calls: [{ name: 'flaky' }] } : { text: 'gave up' }));
    world.addTool('flaky', 'pure', async () => ({ text: 'no', isError: true })).addTool('other', 'pure');
    await world.run();
    expect(world.ran).toHaveLength(5);
    expect(toolTexts(world).slice(3)).toEqual([
      'no',
      'no\n\nflaky failed 5 times in a row and is withheld for the rest of this turn.',
      'flaky is withheld for the rest of this turn. Go on without it.',
      'flaky is withheld for the rest of this turn. Go on without it.',
    ]);
    expect(world.requests.map(({ tools }) => tools.length)).toEqual([2, 2, 2, 2, 2, 1, 1, 1]);

    const cutAfterThird = world.journal.findIndex((entry) => entry.k === 'answer' && entry.step === 4);
    world.journal.splice(cutAfterThird);
    world.ran.length = 0;
    await world.run();
    expect(world.ran).toHaveLength(2);
  });

  test('TU-5 a success starts the count again, and the limit is configurable', async () => {
    const outcomes = [true, false, true, true];
    const world = new TurnWorld((step) => (step <= 5 ? { calls: [{ name: 'flaky' }] } : { text: 'ok' }));
    world.addTool('flaky', 'idempotent', async () => ({ text: 'x', isError: outcomes[world.ran.length - 1] ?? true }));
    await world.run({ toolFailureLimit: 2 });
    expect(world.ran).toHaveLength(4);
  });

  test('TU-2 each call is logged when it has ended, with what docs/logs.md promises', async () => {
    const lines: unknown[] = [];
    const world = callsOnce({ name: 'battery', arguments: '{"unit":"%"}' }).addTool('battery', 'pure');
    await world.run({}, { log: (line, fields) => lines.push([line, fields]) });
    const fields = {
      turnId: 't~1',
      tool: 'battery',
      callId: '1.0',
      isError: false,
      durationMs: expect.any(Number),
      arguments: '{"unit":"%"}',
    };
    expect(lines).toEqual([['Tool call ended', fields]]);
  });
});
