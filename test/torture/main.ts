import { parseArgs } from 'node:util';
import { z } from 'zod';
import { SHORT, torture } from './torture.js';

/** npm run torture -- --messages 20000 --sessions 2000 --json */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    sessions: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '50' },
    redis: { type: 'string', default: 'one' },
    buckets: { type: 'string', default: '1' },
    lock: { type: 'string', default: String(SHORT.lockMs) },
    quiet: { type: 'string', default: '0' },
    every: { type: 'string', default: '3000' },
    seed: { type: 'string', default: String(SHORT.seed) },
    json: { type: 'boolean', default: false },
  },
});

const report = await torture({
  messages: Number(values.messages),
  sessions: Number(values.sessions),
  perSecond: Number(values.rate),
  redis: z.enum(['one', 'cluster', 'sentinel']).parse(values.redis),
  buckets: Number(values.buckets),
  lockMs: Number(values.lock),
  quietMs: Number(values.quiet),
  blowEveryMs: Number(values.every),
  seed: Number(values.seed),
  settleMs: 300_000,
});
process.stdout.write(`${JSON.stringify(report, null, values.json ? 0 : 2)}\n`);
process.exit(report.ok ? 0 : 1);
