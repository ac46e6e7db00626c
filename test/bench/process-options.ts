import { parseArgs } from 'node:util';

export interface ProcessOptions {
  /** Claims or jobs one worker process has in work at once. */
  concurrency: number;
  countRoundTrips: boolean;
  /** Of the agent; the echo in the process when left out. */
  model: string | undefined;
}

/** What main says to a bench process on its command line. */
export function processOptions(): ProcessOptions {
  const { values } = parseArgs({
    options: {
      concurrency: { type: 'string' },
      'count-round-trips': { type: 'boolean', default: false },
      model: { type: 'string' },
    },
  });
  return { concurrency: Number(values.concurrency), countRoundTrips: values['count-round-trips'], model: values.model };
}
