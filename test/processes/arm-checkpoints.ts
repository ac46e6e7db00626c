import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { onCheckpoint } from '#kernel';

/** What the test asks of this process: die or stop at a named place, when it next comes there. */
const orderSchema = z.object({ at: z.string(), act: z.enum(['kill', 'stop', 'none']), probability: z.number().default(1) });
export type Order = z.input<typeof orderSchema>;

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const;

/** Takes orders over IPC (and the first one from TEST_ORDER). Each hit is written down before the signal, and counts once. */
export function armCheckpoints(): void {
  const hits = process.env.TEST_HITS;
  let order = orderSchema.parse(JSON.parse(process.env.TEST_ORDER ?? '{"at":"","act":"none"}'));
  process.on('message', (message) => {
    order = orderSchema.parse(message);
    process.send?.({ armed: order.at });
  });
  process.on('disconnect', () => process.exit(0));
  onCheckpoint((name) => {
    if (order.act === 'none' || name !== order.at || Math.random() >= order.probability) return;
    const signal = SIGNALS[order.act];
    order = { ...order, act: 'none' };
    if (hits) appendFileSync(hits, `${name} ${process.pid}\n`);
    process.kill(process.pid, signal);
  });
}
