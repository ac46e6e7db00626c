import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { connect, Keyspace, type RedisClient } from '#redis';
import { startModelServer, type ModelScript, type ModelServer } from '../fakes/model-server.js';
import { BenchChild, type ChildOptions } from './bench-child.js';
import { envelopeOf } from './bench-message.js';
import { hostMs } from './host-clock.js';
import { percentiles, type Percentiles } from './percentiles.js';
import type { Item } from './questions.js';
import { itemsOf } from './workload.js';

/** What streaming costs a runner that asks a model over HTTP. */
export interface StreamFigures {
  turns: number;
  /** From the first byte at the model server to the first chunk of the SDK alone, and to the first words in the event stream, ms. */
  raw: Percentiles;
  watched: Percentiles;
  streams: number;
  /** Of each stream. */
  piecesPerS: number;
  /** Of the runner, for 1,000 pieces, the turns around them left out. */
  cpuMs: number;
  lagMs: Percentiles;
}

const keyspace = new Keyspace(1);
const TURNS = 200;
const STREAMS = 500;
const PIECE = 'piece of 12.';
const PIECES = 160;
const PIECE_MS = 50;
/** While all of them stream. */
const LAG_WINDOW_MS = 4000;
const HANG_GUARD_MS = 120_000;

/**
 * One runner and its model server; the server is in this process, so that its clock is the reader's.
 * Raw is in this process too, which flatters it.
 */
export async function measureStreams(redisUrl: string, options: ChildOptions): Promise<StreamFigures> {
  let script: ModelScript = { text: PIECE };
  let firstByteAt = 0;
  await using model = await startModelServer({
    answer: () => {
      firstByteAt = hostMs();
      return script;
    },
  });
  const children = { ...options, concurrency: STREAMS, modelUrl: model.baseUrl };
  const accept = await BenchChild.start(new URL('./accept.process.js', import.meta.url), children);
  const runner = await BenchChild.start(new URL('./runner.process.js', import.meta.url), children);
  const reader = connect(redisUrl, 'worker');
  try {
    const since = () => hostMs() - firstByteAt;
    const raw: number[] = [];
    const watched: number[] = [];
    for (const [turn, item] of itemsOf({ sessions: TURNS, messages: 1 }).entries()) {
      await firstChunk(model);
      if (turn > TURNS / 4) raw.push(since());
      const seen = firstWords(reader, item);
      await accept.ask('send', { items: [{ ...item, watched: true }], inFlight: 1 });
      await seen;
      if (turn > TURNS / 4) watched.push(since());
    }
    script = { text: PIECE };
    const short = await streamed({ model, accept, runner }, TURNS);
    script = { text: PIECE.repeat(PIECES), chunkDelayMs: PIECE_MS };
    const long = await streamed({ model, accept, runner }, TURNS + STREAMS);
    return {
      turns: raw.length,
      raw: percentiles(raw),
      watched: percentiles(watched),
      streams: STREAMS,
      piecesPerS: 1000 / PIECE_MS,
      cpuMs: (long.cpuUs - short.cpuUs) / (STREAMS * (PIECES - 1)),
      lagMs: long.lagMs,
    };
  } finally {
    reader.disconnect();
    await Promise.all([accept.stop(), runner.stop()]);
  }
}

async function firstChunk({ baseUrl }: ModelServer): Promise<void> {
  const sdk = new OpenAI({ apiKey: 'bench', baseURL: baseUrl, maxRetries: 0 });
  const chunks = await sdk.chat.completions.create({ model: 'bench', messages: [{ role: 'user', content: 'x' }], stream: true });
  for await (const { choices } of chunks) if (choices[0]?.delta.content) return;
}

async function firstWords(reader: RedisClient, item: Item): Promise<void> {
  const key = keyspace.events(envelopeOf(item).session);
  for (let after = '0-0'; ;) {
    const read = await reader.xread('BLOCK', HANG_GUARD_MS, 'STREAMS', key, after);
    const entries = read?.[0]?.[1] ?? [];
    if (entries.some(([, fields]) => fields[1]?.includes('"text.delta"'))) return;
    after = entries.at(-1)?.[0] ?? after;
  }
}

/** All at once, to the end of the last. */
async function streamed(
  { model, accept, runner }: { model: ModelServer; accept: BenchChild; runner: BenchChild },
  from: number,
): Promise<{ cpuUs: number; lagMs: Percentiles }> {
  const before = model.calls.length;
  const { cpuUs } = await runner.ask('usage', null);
  await accept.ask('send', { items: itemsOf({ sessions: STREAMS, messages: 1 }, from), inFlight: STREAMS });
  await model.called(before + STREAMS);
  await runner.ask('loopLag', null);
  await sleep(LAG_WINDOW_MS);
  const lagMs = await runner.ask('loopLag', null);
  await Promise.all(model.calls.slice(before).map(({ ended }) => ended));
  const after = await runner.ask('usage', null);
  return { cpuUs: after.cpuUs - cpuUs, lagMs };
}
