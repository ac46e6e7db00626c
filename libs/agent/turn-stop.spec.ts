import { describe, expect, test } from 'vitest';
import { TransientError } from '#kernel';
import { TurnCancelled } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

describe('stopping a turn', () => {
  test('QU-3 a cancel read by a step ends the turn; a call without a result gets one for the transcript', async () => {
    const world = new TurnWorld(() => ({ text: 'thinking', calls: [{ name: 'noop', id: 'a' }] })).addTool('noop', 'pure');
    world.cancelled = true;
    await expect(world.run()).rejects.toBeInstanceOf(TurnCancelled);
    expect([world.ran, world.sent]).toEqual([[], []]);
    expect(world.progress.interrupted()).toMatchObject([
      { role: 'assistant', text: 'thinking' },
      { role: 'tool', callId: 'a', isError: true, text: 'The turn was stopped before this call had a result.' },
    ]);
    expect(world.progress.ledger.total.inputTokens).toBe(10);
  });

  test('QU-3 an abort in the middle of a stream keeps the partial answer, marked', async () => {
    const world = new TurnWorld(() => ({}));
    const reason = new Error('/stop');
    const stream = async function* () {
      yield { type: 'text' as const, text: 'Once upon' };
      world.stop.abort(reason);
      await Promise.withResolvers<never>().promise;
    };
    await expect(world.run({}, { provider: { id: 'deaf', stream } })).rejects.toBe(reason);
    expect(world.progress.interrupted()).toEqual([{ role: 'assistant', text: 'Once upon', toolCalls: [], interrupted: true }]);
  });

  test('QU-3 a tool that ignores the signal is abandoned with the reason, and its result is dropped', async () => {
    const reason = new Error('/stop');
    const late = Promise.withResolvers<{ text: string; isError: boolean }>();
    const world = new TurnWorld(() => ({ calls: [{ name: 'deaf', id: 'a' }] })).addTool('deaf', 'once', () => {
      queueMicrotask(() => world.stop.abort(reason));
      return late.promise;
    });
    await expect(world.run()).rejects.toBe(reason);
    late.resolve({ text: 'too late', isError: false });
    await late.promise;
    expect(world.journal.map((entry) => entry.k)).toEqual(['answer', 'started']);
  });

  test('QU-3 a send that fails because the turn was stopped does not hide the reason', async () => {
    const reason = new Error('/stop');
    const world = new TurnWorld(() => ({ calls: [{ name: 'message', id: 'a' }] })).addTool(
      'message',
      'idempotent',
      async (_args, { sends }) => {
        await Promise.resolve();
        await sends.now({ key: 'a', text: 'x', mode: 'immediate', fellBack: false });
        return { text: '', isError: false };
      },
    );
    world.now = () => {
      world.stop.abort(reason);
      return Promise.reject(new TransientError('unavailable', 'connection closed'));
    };
    await expect(world.run()).rejects.toBe(reason);
  });

  test('QU-3 an abort reaches a write that hangs', async () => {
    const world = new TurnWorld(() => ({ text: 'hi' }));
    const reason = new Error('lease lost');
    const step = () => {
      world.stop.abort(reason);
      return Promise.withResolvers<never>().promise;
    };
    await expect(world.run({}, { step })).rejects.toBe(reason);
  });
});
