import { ConfigSource, type Config } from '#config';
import type { AppContext } from '#host';
import { BENCH_TENANTS } from './bench-tenants.js';
import { ECHO_MODEL } from './echo-model.js';
import { processOptions } from './process-options.js';

const REQUESTS_PER_MINUTE = 1_000_000;
/** A hog's mail waits, and none of it is dropped. */
const MOST_WAITING = 1_000_000;

/** The product's own configuration, with the bench's model and concurrency, and no limit for its one caller. */
export function benchContext(context: AppContext): AppContext {
  const { current } = context.source;
  const { lanes, agents, auth, session } = current;
  const { concurrency, model = ECHO_MODEL } = processOptions();
  const config: Config = {
    ...current,
    auth: { ...auth, requestsPerMinute: REQUESTS_PER_MINUTE },
    agents: Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, { ...agent, model }])),
    session: { ...session, queue: { ...session.queue, debounceMs: 0, cap: 0, hardCap: MOST_WAITING } },
    lanes: {
      ...lanes,
      turns: { ...lanes.turns, concurrency },
      deliveries: { ...lanes.deliveries, concurrency },
    },
  };
  // An account has one owner.
  const other: Config = { ...config, channels: withoutAccounts(config.channels) };
  const others = BENCH_TENANTS.filter((name) => name !== 'default').map((name) => [name, other] as const);
  const all: Config = { ...config, tenants: Object.fromEntries(others) };
  return { ...context, source: new ConfigSource(() => all) };
}

function withoutAccounts(channels: Config['channels']): Config['channels'] {
  const emptied = Object.entries(channels).map(([name, section]) => [
    name,
    'accounts' in section ? { ...section, accounts: {} } : section,
  ]);
  return { ...channels, ...Object.fromEntries(emptied) };
}
