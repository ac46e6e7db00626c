const DAY_MS = 86_400_000;

/**
 * The last time at or before `at` when a clock in `timeZone` struck `hour`. A day whose clock jumps over that hour has its boundary
 * right behind the jump; a day that has the hour twice, at the first of the two.
 * @param hour 0 to 23 @param at ms since the epoch @returns ms since the epoch
 */
export function dailyBoundary(hour: number, timeZone: string, at: number): number {
  const today = startOfLocalDay(timeZone, at);
  const boundary = instantOf(timeZone, today + hour * 3_600_000);
  return boundary <= at ? boundary : instantOf(timeZone, today - DAY_MS + hour * 3_600_000);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in the zone shows, written as if it were UTC, ms. */
function wallClock(timeZone: string, at: number): number {
  const format = formats.get(timeZone) ?? newFormat(timeZone);
  formats.set(timeZone, format);
  const shown: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function newFormat(timeZone: string): Intl.DateTimeFormat {
  const numeric = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  return new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', hourCycle: 'h23', ...numeric });
}

function startOfLocalDay(timeZone: string, at: number): number {
  return Math.floor(wallClock(timeZone, at) / DAY_MS) * DAY_MS;
}

/** The first instant at which the clock shows `wall` or, where it jumps over it, more. */
function instantOf(timeZone: string, wall: number): number {
  // The offsets a day before and a day behind are the only ones a jump can lie between.
  const offsetNear = (near: number): number => wallClock(timeZone, near) - near;
  const [before, after] = [offsetNear(wall - DAY_MS), offsetNear(wall + DAY_MS)];
  const [early, late] = [wall - Math.max(before, after), wall - Math.min(before, after)];
  if (wallClock(timeZone, early) === wall) return early;
  if (wallClock(timeZone, late) === wall) return late;
  // The clock jumps over it: the jump itself is the first instant that shows more.
  return firstInstant((instant) => wallClock(timeZone, instant) >= wall, early, late);
}

/** Between `from`, which is too early, and `to`, which is not. */
function firstInstant(isThere: (instant: number) => boolean, from: number, to: number): number {
  let [early, late] = [from, to];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (isThere(middle)) late = middle;
    else early = middle;
  }
  return late;
}
