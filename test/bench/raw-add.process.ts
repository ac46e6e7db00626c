import { Queue } from 'bullmq';
import { BenchProcess } from './bench-process.js';
import { envelopeOf } from './bench-message.js';
import type { Item } from './questions.js';
import { RAW_QUEUE, rawConnection } from './raw-queue.js';
import { carryOut } from './send-order.js';

const bench = new BenchProcess();
const queue = new Queue(RAW_QUEUE, { connection: rawConnection() });
await queue.waitUntilReady();
const add = async (item: Item): Promise<void> => {
  bench.mark('accept', item.n);
  await queue.add('message', envelopeOf(item));
  bench.mark('accepted', item.n);
  bench.handled++;
};
bench.serve({ send: (order) => carryOut(order, add) });
