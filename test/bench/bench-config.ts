import { parseArgs } from 'node:util';
import { ConfigSource } from '#config';
import type { AppContext } from '#host';
import { ECHO_MODEL } from './echo-model.js';

/** Claims or jobs one worker process has in work at once: `--concurrency`, which main sets for both sides. */
export function concurrency(): number {
  const { values } = parseArgs({ options: { concurrency: { type: 'string', default: '50' } } });
  return Number(values.concurrency);
}

/** The product's own configuration, with the bench's model and concurrency. */
export function benchContext(context: AppContext): AppContext {
  const { current } = context.source;
  const { lanes, agents } = current;
  const config = {
    ...current,
    agents: { ...agents, main: { ...agents.main, model: ECHO_MODEL } },
    lanes: {
      ...lanes,
      turns: { ...lanes.turns, concurrency: concurrency() },
      deliveries: { ...lanes.deliveries, concurrency: concurrency() },
    },
  };
  return { ...context, source: new ConfigSource(() => config) };
}
