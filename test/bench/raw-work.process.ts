import { Worker } from 'bullmq';
import type { Envelope } from '#contracts';
import { BenchProcess } from './bench-process.js';
import { numberIn } from './bench-message.js';
import { processOptions } from './process-options.js';
import { RAW_QUEUE, rawConnection } from './raw-queue.js';

const bench = new BenchProcess();
const work = async ({ data }: { data: Envelope }): Promise<void> => {
  bench.mark('model', numberIn(data.text));
  await bench.gate();
  bench.handled++;
};
const worker = new Worker<Envelope>(RAW_QUEUE, work, {
  connection: rawConnection(),
  concurrency: processOptions().concurrency,
  removeOnComplete: { count: 0 },
});
await worker.waitUntilReady();
bench.serve();
