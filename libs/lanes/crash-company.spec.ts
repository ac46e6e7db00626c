import { describe, expect, test } from 'vitest';
import { CrashCompany } from './index.js';

const quiet = new AbortController().signal;
const ALONE = 3;

/** Whether a promise has settled by now. */
async function hasEntered(entering: Promise<unknown>): Promise<boolean> {
  const waits = Symbol('waits');
  return (await Promise.race([entering, new Promise((resolve) => setImmediate(() => resolve(waits)))])) !== waits;
}

describe('QU-1 suspicion', () => {
  test.each([
    [0, 4, 0],
    [1, 4, 1],
    [2, 4, 2],
    [3, 4, 3],
    [9, 4, 3],
    [2, 6, 0],
    [3, 6, 1],
    [0, 1, 3],
  ])('QU-1 after %i deaths of %i allowed the level is %i', (crashes, allowed, level) => {
    expect(CrashCompany.level(crashes, allowed)).toBe(level);
  });

  test.each([
    [1, 12],
    [2, 3],
    [3, 1],
  ])('QU-1 of level %i at most %i run at once', async (level, most) => {
    const company = new CrashCompany();
    const inside = await Promise.all(Array.from({ length: most }, () => company.enter(level, quiet)));
    const next = company.enter(level, quiet);
    expect(company.mustWait(level)).toBe(true);
    expect(await hasEntered(next)).toBe(false);
    inside[0]?.();
    expect(await hasEntered(next)).toBe(true);
  });

  test.each([1, 2, 3])('QU-1 who runs alone has no suspect of level %i beside it, whoever came first', async (level) => {
    const company = new CrashCompany();
    const other = await company.enter(level, quiet);
    const alone = company.enter(ALONE, quiet);
    expect(await hasEntered(alone)).toBe(false);
    other();
    const leave = await alone;
    const later = company.enter(level, quiet);
    expect(company.mustWait(level)).toBe(true);
    expect(await hasEntered(later)).toBe(false);
    leave();
    expect(await hasEntered(later)).toBe(true);
  });

  test('QU-1 first come, first served: small ones do not overtake the one that waits to run alone', async () => {
    const company = new CrashCompany();
    const first = await company.enter(1, quiet);
    const alone = company.enter(ALONE, quiet);
    const behind = company.enter(1, quiet);
    expect(await hasEntered(behind)).toBe(false);
    first();
    expect([await hasEntered(alone), await hasEntered(behind)]).toEqual([true, false]);
    (await alone)();
    expect(await hasEntered(behind)).toBe(true);
  });

  test('QU-1 who gives up waiting takes no place, and leaving twice frees one', async () => {
    const company = new CrashCompany();
    const inside = await company.enter(ALONE, quiet);
    const drain = new AbortController();
    const gone = company.enter(ALONE, drain.signal);
    const waits = company.enter(ALONE, quiet);
    drain.abort(new Error('leaving'));
    await expect(gone).rejects.toThrow('leaving');
    inside();
    const leave = await waits;
    inside();
    expect(company.mustWait(ALONE)).toBe(true);
    leave();
    expect(company.mustWait(ALONE)).toBe(false);
  });
});
