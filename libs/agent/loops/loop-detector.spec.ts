import { describe, expect, test } from 'vitest';
import { LoopDetector, type CallNature } from './loop-detector.js';

const LIMITS = { enabled: true, warnAt: 10, blockAt: 20, unknownToolAt: 10, breakerAt: 30 };
const call = (name: string, args: object = {}) => ({ name, arguments: JSON.stringify(args) });

/** Feeds calls until one would be blocked. @returns how many ran, after which one came the warning, and why the next may not run */
function until(next: (n: number) => [ReturnType<typeof call>, result: string, nature?: CallNature], limits = LIMITS, most = 100) {
  const detector = new LoopDetector(limits);
  const warned: number[] = [];
  for (let n = 0; n < most; n += 1) {
    const [planned, result, nature = 'reads'] = next(n);
    const blocked = detector.block(planned, nature);
    if (blocked !== undefined) return { ran: n, warned, blocked };
    if (detector.add(planned, result, nature) !== undefined) warned.push(n + 1);
  }
  return { ran: most, warned, blocked: undefined };
}

describe('loop detection', () => {
  test('TU-4 repeat: the same call with the same result is warned of at 10 and blocked after 20, whatever the order of its keys', () => {
    const { ran, warned, blocked } = until((n) => [
      { name: 'read', arguments: n % 2 === 0 ? '{"a":1,"b":[2]}' : ' {"b":[2], "a":1}' },
      'same',
    ]);
    expect([ran, warned, blocked]).toEqual([
      20,
      [10],
      'read was called 20 times with the same arguments and brought nothing new',
    ]);
  });

  test('TU-4 repeat is not fooled by ids, times and durations in a result, nor by other calls in between', () => {
    const noise = (n: number) =>
      `ok 0b5f2f7e-3c3d-4b0e-9a1c-${String(n).padStart(12, '0')} at 10:00:${String(n).padStart(2, '0')} in ${n}.5 ms`;
    expect(until((n) => [call('build'), noise(n)]).ran).toBe(20);
    expect(until((n) => (n % 3 === 2 ? [call('note', { n }), `noted ${n}`] : [call('read'), 'same'])).ran).toBe(30);
  });

  test('TU-4 poll: a result that changes is progress, one that stays is none', () => {
    expect(until((n) => [call('poll', { job: 1 }), `${n} % done`]).blocked).toBeUndefined();
    expect(until((n) => [call('poll', { job: 1 }), `${Math.min(n, 40)} % done`]).ran).toBe(60);
  });

  test('TU-4 repeat: an act is the same act again, whatever id its result has; different acts with one result are none', () => {
    expect(until((n) => [call('message', { content: 'hi' }), `{"sequenceInTurn":${n}}`, 'acts'])).toMatchObject({ ran: 20 });
    expect(until((n) => [call('write', { n }), 'written', 'acts'])).toMatchObject({ warned: [], blocked: undefined });
  });

  test('TU-4 only the ends of a long result are compared', () => {
    expect(until((n) => [call('read'), `${'x'.repeat(3000)}${n}${'z'.repeat(3000)}`]).ran).toBe(20);
    expect(until((n) => [call('read'), `${'x'.repeat(3000)}${n}`]).blocked).toBeUndefined();
  });

  test('TU-4 ping-pong: two calls that alternate with the same results', () => {
    const { ran, warned, blocked } = until((n) => (n % 2 === 0 ? [call('open'), 'opened'] : [call('close'), 'closed']));
    expect([ran, warned[0]]).toEqual([20, 10]);
    expect(blocked).toContain('back and forth between two calls');
  });

  test('TU-4 unknown tools: ten in a row, whatever their names', () => {
    expect(until((n) => [call(`tool${n}`), `no tool${n}`, 'unknown'])).toMatchObject({ ran: 10 });
    expect(until((n) => [call(`tool${n}`), `${n}`, n % 10 === 9 ? 'reads' : 'unknown']).blocked).toBeUndefined();
  });

  test('TU-4 breaker: thirty calls in a row that bring nothing new, in a round of three', () => {
    const { ran, blocked } = until((n) => [call('look', { at: n % 3 }), `seen ${n % 3}`]);
    expect([ran, blocked]).toEqual([33, 'the last 30 calls brought nothing new']);
  });

  test('TU-4 churn: different arguments with one result are warned of and never blocked', () => {
    const { warned, blocked } = until((n) => [call('search', { n }), 'nothing found']);
    expect([warned, blocked]).toEqual([[10], undefined]);
  });

  test('TU-4 it can be turned off, and counts as configured', () => {
    const same = (): [ReturnType<typeof call>, string] => [call('read'), 'same'];
    expect(until(same, { ...LIMITS, enabled: false })).toEqual({ ran: 100, warned: [], blocked: undefined });
    expect(until(same, { ...LIMITS, warnAt: 2, blockAt: 3 })).toMatchObject({ ran: 3, warned: [2] });
  });
});
