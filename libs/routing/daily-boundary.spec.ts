import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dailyBoundary } from './daily-boundary.js';

const at = (iso: string): number => Date.parse(iso);
const shown = (zone: string, instant: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(instant);

describe('the last time the clock struck an hour', () => {
  test.each([
    ['UTC', 4, '2026-11-30T04:00:00Z', '2026-11-30T04:00:00Z'],
    ['UTC', 4, '2026-11-30T03:59:59Z', '2026-11-29T04:00:00Z'],
    ['Asia/Shanghai', 4, '2026-11-30T12:00:00Z', '2026-11-29T20:00:00Z'],
    ['America/Los_Angeles', 0, '2026-07-01T06:59:00Z', '2026-06-30T07:00:00Z'],
    ['Asia/Kathmandu', 9, '2026-11-30T03:15:00Z', '2026-11-30T03:15:00Z'],
  ])('RT-3 in %s at %i, seen from %s: %s', (zone, hour, now, expected) => {
    expect(dailyBoundary(hour, zone, at(now))).toBe(at(expected));
  });

  test('RT-3 a clock that jumps over the hour has struck it right behind the jump', () => {
    // Berlin, 29 March 2026: 02:00 becomes 03:00.
    expect(dailyBoundary(2, 'Europe/Berlin', at('2026-03-29T12:00:00Z'))).toBe(at('2026-03-29T01:00:00Z'));
    expect(dailyBoundary(2, 'Europe/Berlin', at('2026-03-29T00:59:59Z'))).toBe(at('2026-03-28T01:00:00Z'));
    // Lord Howe, half an hour: 02:00 becomes 02:30.
    expect(shown('Australia/Lord_Howe', dailyBoundary(2, 'Australia/Lord_Howe', at('2026-10-04T00:00:00Z')))).toBe(
      '2026-10-04 02:30:00',
    );
  });

  test('RT-3 a clock that shows the hour twice strikes it once, the first time', () => {
    // New York, 1 November 2026: 02:00 becomes 01:00.
    expect(dailyBoundary(1, 'America/New_York', at('2026-11-01T05:30:00Z'))).toBe(at('2026-11-01T05:00:00Z'));
    expect(dailyBoundary(1, 'America/New_York', at('2026-11-01T06:30:00Z'))).toBe(at('2026-11-01T05:00:00Z'));
  });

  test('RT-3 whatever zone, hour and moment: it lies behind, at most a day and a jump away, and no later one is missed', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Asia/Tehran',
      'Pacific/Apia',
      'America/Sao_Paulo',
    ];
    const moment = fc.integer({ min: at('2015-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 23 }), moment, (zone, hour, now) => {
        const boundary = dailyBoundary(hour, zone, now);
        expect(boundary).toBeLessThanOrEqual(now);
        expect(now - boundary).toBeLessThan(26 * 3_600_000);
        expect(Number(shown(zone, boundary).slice(11, 13))).toBeGreaterThanOrEqual(hour);
        expect(dailyBoundary(hour, zone, boundary)).toBe(boundary);
        expect(dailyBoundary(hour, zone, boundary - 1)).toBeLessThan(boundary);
      }),
      { numRuns: 2000 },
    );
  });
});
