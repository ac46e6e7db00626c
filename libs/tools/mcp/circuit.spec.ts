import { expect, test } from 'vitest';
import { Circuit } from './circuit.js';

/** A circuit whose clock a test owns. */
function circuit() {
  let now = 0;
  const under = new Circuit({ now: () => now, monotonic: () => now });
  const fail = (times: number): void => {
    for (let n = 0; n < times; n += 1) {
      under.enter();
      under.failed();
    }
  };
  return { under, fail, pass: (ms: number) => (now += ms) };
}

test('TO-4 three failures in a row rest a server for a minute; a success between them does not', () => {
  const { under, fail, pass } = circuit();
  fail(2);
  under.succeeded();
  fail(2);
  expect(under.enter()).toBe(0);
  under.failed();
  expect(under.enter()).toBe(60_000);
  pass(59_999);
  expect(under.enter()).toBe(1);
});

test('TO-4 after the minute one call may try, and its end decides for all', () => {
  const { under, fail, pass } = circuit();
  fail(3);
  pass(60_000);
  expect([under.enter(), under.enter()]).toEqual([0, 60_000]);
  under.failed();
  expect(under.enter()).toBe(60_000);
  pass(60_000);
  expect(under.enter()).toBe(0);
  under.abandoned();
  expect(under.enter()).toBe(0);
  under.succeeded();
  expect([under.enter(), under.enter(), under.enter()]).toEqual([0, 0, 0]);
});
