import { expect } from 'vitest';
import { proves } from './proves.js';
import { SHORT, torture } from './torture/torture.js';

const GUARD = { timeout: 300_000 };

proves(
  ['G1', 'G2', 'G3', 'G4', 'G5', 'G7', 'IN-3', 'IN-4', 'B003'],
  'torture: 1,000 messages, 150 sessions, kills, stops, twins, /stop, edits: nothing lost, doubled, reordered or left behind',
  async () => {
    const report = await torture(SHORT);
    console.log(JSON.stringify({ ...report, verdict: undefined }));
    expect(report.verdict).toEqual({});
    expect(report.chaos.kills.runner + report.chaos.kills.ingress + report.chaos.kills.dispatcher).toBeGreaterThanOrEqual(8);
    expect(report.chaos.kills.dispatcher).toBeGreaterThanOrEqual(2);
    expect(report.chaos.stops).toBeGreaterThanOrEqual(4);
    expect(report.traffic.twins).toBeGreaterThan(0);
  },
  GUARD,
);

proves(
  ['G2', 'G3', 'QU-2', 'B112'],
  'torture with four buckets and a quiet window: several messages in flight in one turn, keys spread over slots',
  async () => {
    const report = await torture({ ...SHORT, messages: 500, sessions: 80, buckets: 4, quietMs: 40 });
    console.log(JSON.stringify({ ...report, verdict: undefined }));
    expect(report.verdict).toEqual({});
    // Fewer turns than messages: the quiet window did gather.
    expect(report.counts.turns).toBeLessThan(report.traffic.sent - report.traffic.edits - report.traffic.stops);
  },
  GUARD,
);

for (const redis of ['sentinel', 'cluster'] as const)
  proves(
    ['G1', 'OP-12'],
    `torture on ${redis === 'cluster' ? 'a cluster of six, one master killed' : 'a master that is killed, with Sentinel'}: what was acknowledged as replicated is kept`,
    async () => {
      const report = await torture({
        ...SHORT,
        redis,
        messages: 600,
        sessions: 100,
        buckets: 16,
        lockMs: 2500,
        blowEveryMs: 1300,
      });
      console.log(JSON.stringify({ ...report, verdict: undefined }));
      expect(report.verdict).toEqual({});
      expect(report.chaos.failovers).toBe(1);
    },
    GUARD,
  );
