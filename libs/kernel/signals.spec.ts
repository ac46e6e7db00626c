import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { delay, raceSignal } from './index.js';

const gone = new Error('gone');
const never = new Promise<never>(() => undefined);

describe('TU-4 a wait ends with its signal', () => {
  test('TU-4 raceSignal settles like the work, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    expect(await raceSignal(Promise.resolve(1), signal)).toBe(1);
    await expect(raceSignal(Promise.reject(gone), signal)).rejects.toBe(gone);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test.each([
    ['raceSignal', (signal: AbortSignal) => raceSignal(never, signal)],
    ['delay', (signal: AbortSignal) => delay(600_000, signal)],
  ])('TU-4 %s rejects with the reason of the signal, before or after it fired', async (_, wait) => {
    const abort = new AbortController();
    const waiting = wait(abort.signal);
    abort.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    await expect(wait(abort.signal)).rejects.toBe(gone);
  });

  test('TU-4 work that fails after its signal fired disturbs nobody', async () => {
    const late = Promise.withResolvers<void>();
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    await expect(raceSignal(late.promise, AbortSignal.abort(gone))).rejects.toBe(gone);
    late.reject(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});
