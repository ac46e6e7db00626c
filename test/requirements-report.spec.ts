import { describe, expect, test } from 'vitest';
import { citedIds, requirementsReport } from './requirements-report.js';
import { requirements } from './requirements.js';

const everyId = Object.keys(requirements);
const nothing = { cited: [], proved: [], skipped: [], full: true };

describe('OP-1 the requirement list at the end of npm test', () => {
  test('reads the ids a title begins with, and no later word', () => {
    expect(citedIds('TO-1 B001, T16: a send (G5) leaves at once')).toEqual(['TO-1', 'B001', 'T16']);
    expect(citedIds('a send of TO-1')).toEqual([]);
  });

  test('counts what is proved and lists the rest by group', () => {
    const { text } = requirementsReport({ ...nothing, proved: everyId.filter((id) => id !== 'IN-4') });
    expect(text).toContain(`Requirements proved by a test: ${everyId.length - 1} of ${everyId.length}`);
    expect(text).toMatch(/Not yet built \/ without a test:\n {2}Ingress +IN-4\n/);
  });

  test('fails a full run in which a built requirement has no passing test, and no filtered one', () => {
    const proved = everyId.filter((id) => id !== 'G1');
    expect(requirementsReport({ ...nothing, proved }, new Set())).toMatchObject({
      failed: true,
      text: expect.stringMatching(/FAILED {2}Built.*\n {2}G1\n/),
    });
    expect(requirementsReport({ ...nothing, proved }, new Set(['G1'])).failed).toBe(false);
    expect(requirementsReport({ ...nothing, proved, full: false }, new Set()).failed).toBe(false);
    expect(requirementsReport({ ...nothing, proved: everyId }, new Set()).failed).toBe(false);
  });

  test('fails on an id that does not exist and names it', () => {
    const report = requirementsReport({ ...nothing, proved: everyId, cited: ['TO-99'] });
    expect(report).toMatchObject({ failed: true, text: expect.stringContaining('TO-99') });
  });

  test('prints the reason of a skipped test and fails without one', () => {
    const skip = (reason?: string) => requirementsReport({ ...nothing, proved: everyId, skipped: [{ title: 'a test', reason }] });
    expect(skip('no chromium here')).toMatchObject({
      failed: false,
      text: expect.stringContaining('Skipped: a test (no chromium here)'),
    });
    expect(skip()).toMatchObject({ failed: true, text: expect.stringContaining('a test') });
  });
});
