import { ConfigSource } from '#config';
import type { AppContext } from '#host';
import { ECHO_MODEL } from './echo-model.js';
import { processOptions } from './process-options.js';

/** The product's own configuration, with the bench's model and concurrency. */
export function benchContext(context: AppContext): AppContext {
  const { current } = context.source;
  const { lanes, agents } = current;
  const { concurrency } = processOptions();
  const config = {
    ...current,
    agents: { ...agents, main: { ...agents.main, model: ECHO_MODEL } },
    lanes: {
      ...lanes,
      turns: { ...lanes.turns, concurrency },
      deliveries: { ...lanes.deliveries, concurrency },
    },
  };
  return { ...context, source: new ConfigSource(() => config) };
}
