import { cpus, loadavg } from 'node:os';
import { describeError } from '#kernel';
import { connect, type RedisClient } from '#redis';
import { simulateBudget } from '../model-budget-simulation.js';
import { startRedis } from '../redis-server.js';
import type { ChildOptions } from './bench-child.js';
import { benchOptions, type BenchOptions } from './options.js';
import { compare } from './comparison.js';
import { measureDeliveries } from './delivery-phase.js';
import { measureFailover } from './failover-phase.js';
import { measureFairness } from './fairness-phase.js';
import { measureFootprint } from './footprint.js';
import { measureHttp } from './http-phase.js';
import { measureLatency } from './latency-phase.js';
import { measureMcp } from './mcp-phase.js';
import { redisVersion } from './redis-stats.js';
import { missedTargets, table, type Report } from './report.js';
import { countRoundTrips } from './round-trips.js';
import { onFreshSide, type SideName } from './side.js';
import { measureTurns } from './turn-phases.js';
import { measureStreams } from './stream-phase.js';
import { measureWebhooks } from './webhook-phase.js';
import type { Workload } from './workload.js';

/** EX_USAGE of sysexits.h. */
const EXIT_USAGE = 64;
const CONCURRENCY = 50;
const LATENCY_SECONDS = 10;
const ROUND_TRIP_WORKLOADS: readonly Workload[] = [
  { sessions: 20, messages: 10 },
  { sessions: 200, messages: 1 },
];
const SIDES: readonly SideName[] = ['raw', 'full'];

const options = readOptions();
const server = await startRedis();
const redis = connect(server.url, 'worker');
try {
  const report = await bench(redis, server.url, options);
  process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : table(report));
  process.exitCode = missedTargets(report).length === 0 ? 0 : 1;
} finally {
  redis.disconnect();
  await server.stop();
}

async function bench(
  client: RedisClient,
  redisUrl: string,
  { messages, sessions, rounds, rate, profile }: BenchOptions,
): Promise<Report> {
  const children: ChildOptions = { redisUrl, concurrency: CONCURRENCY, countRoundTrips: false, profileDir: profile };
  const loadBefore = loadavg()[0] ?? 0;
  const workloads = [
    { workload: { sessions, messages: messages / sessions }, target: 0.2 },
    { workload: { sessions: messages, messages: 1 }, target: 0.15 },
  ];
  const comparisons = [];
  for (const each of workloads) comparisons.push(await compare(client, each, rounds, children, say));
  const quiet = { ...children, profileDir: undefined };
  const roundTrips: Report['roundTrips'] = [];
  const latency: Report['latency'] = [];
  for (const side of SIDES) {
    for (const workload of ROUND_TRIP_WORKLOADS) {
      const perMessage = await onFreshSide(client, side, { ...quiet, concurrency: 1, countRoundTrips: true }, (running) =>
        countRoundTrips(running, workload),
      );
      roundTrips.push({ side, messagesPerSession: workload.messages, perMessage });
    }
    latency.push({
      side,
      perSecond: rate,
      ms: await onFreshSide(client, side, quiet, (running) => measureLatency(running, rate, rate * LATENCY_SECONDS)),
    });
    say(`${side}: round trips and latencies`);
  }
  await client.flushall();
  const http = await measureHttp(client, quiet);
  await client.flushall();
  const footprint = await measureFootprint(client, quiet);
  say('HTTP and footprint');
  const turns = await measureTurns(client, quiet, say);
  const fairness = await measureFairness(client, quiet, say);
  const budget = await simulateBudget(redisUrl);
  say('the budget of a model key');
  await client.flushall();
  const streams = await measureStreams(redisUrl, quiet);
  say('streams');
  const failover = await measureFailover();
  say('failover');
  const webhooks = await measureWebhooks(client, quiet);
  say('webhooks');
  const deliveries = [];
  for (const { workload } of workloads) deliveries.push(await measureDeliveries(client, workload, rounds, quiet));
  say('deliveries');
  const mcp = await measureMcp();
  say('an MCP tool');
  const machine = {
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    redis: await redisVersion(client),
  };
  return {
    machine,
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
    rounds,
    comparisons,
    roundTrips,
    latency,
    http,
    footprint,
    turns,
    fairness,
    budget,
    failover,
    mcp,
    streams,
    webhooks,
    deliveries,
  };
}

function readOptions(): BenchOptions {
  try {
    return benchOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    return process.exit(EXIT_USAGE);
  }
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
