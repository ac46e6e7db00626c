import { UNPACED } from '../harness/unpaced.js';
import type { TurnRecord } from '#contracts';
import type { Platform } from '#host';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server.js';
import { startWebhookReceiver, type WebhookReceiver } from '../fakes/webhook-receiver.js';
import { Fleet, type Kind } from '../harness/fleet.js';
import { Judge } from '../harness/judge.js';
import { openPlatform } from '../harness/mail.js';
import { judgeWorld, type Verdict } from '../harness/verdict.js';
import { waitUntil } from '../harness/wait-until.js';
import { Chaos } from './chaos.js';
import { strayKeys } from './leftovers.js';
import { Random } from './random.js';
import { resumeTimes } from './resume-times.js';
import { judgeTelegram } from './telegram-verdict.js';
import { startTortureRedis, type TortureRedis, type TortureRedisKind } from './torture-redis.js';
import { TELEGRAM_SECRET, Traffic, WEBHOOK_SECRET } from './traffic.js';

export interface TortureOptions {
  messages: number;
  sessions: number;
  perSecond: number;
  seed: number;
  redis: TortureRedisKind;
  buckets: number;
  lockMs: number;
  /** Mean time between two blows, ms. */
  blowEveryMs: number;
  /** Quiet window: several messages become one turn. */
  quietMs: number;
  /** Guard: how long the last answers may take after the last message, ms. */
  settleMs: number;
}

export const SHORT: TortureOptions = {
  messages: 1000,
  sessions: 150,
  perSecond: 40,
  seed: Date.now() % 1_000_000,
  redis: 'one',
  buckets: 1,
  lockMs: 1500,
  blowEveryMs: 2200,
  quietMs: 0,
  settleMs: 120_000,
};

const SIZES: Record<Kind, number> = { ingress: 2, runner: 3, dispatcher: 2 };
const BOT_TOKEN = '1000001:torture';

/** Runs the whole product under kills and stops and judges it from the outside. An empty verdict = every promise held. */
export async function torture(options: TortureOptions) {
  const world = await openWorld(options);
  try {
    return await run(options, world);
  } finally {
    await world.close();
  }
}

interface TortureWorld {
  redis: TortureRedis;
  judge: Judge;
  dedupe: WebhookReceiver;
  plain: WebhookReceiver;
  telegram: TelegramServer;
  fleet: Fleet;
  platform: Platform;
  random: Random;
  close(): Promise<void>;
}

async function openWorld({ seed, redis: kind, buckets, lockMs, quietMs }: TortureOptions): Promise<TortureWorld> {
  const random = new Random(seed);
  const redis = await startTortureRedis(kind);
  const busy = { status: 429, retryAfter: 0.2 };
  const judge = await Judge.start({
    modelDelayMs: () => random.between(3, 40),
    override: () => (random.chance(0.02) ? busy : undefined),
  });
  const dedupe = await startWebhookReceiver({ dedupe: true });
  const plain = await startWebhookReceiver({ dedupe: false });
  const telegram = await startTelegramServer({ token: BOT_TOKEN });
  const webhook = (outboundUrl: string, dedupes: boolean) => ({ secret: WEBHOOK_SECRET, outboundUrl, dedupe: dedupes });
  const fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      redis: { buckets, ...(redis.failOver && { durability: 'replicated' }) },
      // On a busy machine the work of a dead process waits longer for its turn than the safety net does elsewhere.
      lanes: { lockMs, sweepMs: 20_000, stalledCheckMs: 400, crashesAllowed: 8, deliveries: { requestTimeoutMs: 600 } },
      session: { queue: { debounceMs: quietMs, cap: 0 } },
      channels: {
        webhook: { accounts: { dedupe: webhook(dedupe.url, true), plain: webhook(plain.url, false) } },
        telegram: {
          access: { dmPolicy: 'open' },
          accounts: { bot: { botToken: BOT_TOKEN, secretToken: TELEGRAM_SECRET, apiRoot: telegram.url, rates: UNPACED } },
        },
      },
    },
  });
  for (const kind of Object.keys(SIZES) as Kind[]) await fleet.start(kind, SIZES[kind]);
  const platform = await openPlatform(fleet.configPath);
  const close = async (): Promise<void> => {
    await fleet.close();
    await platform.close();
    await Promise.all([judge.close(), dedupe.close(), plain.close(), telegram.close()]);
    await redis.stop();
  };
  return { redis, judge, dedupe, plain, telegram, fleet, platform, random, close };
}

async function run(options: TortureOptions, world: TortureWorld) {
  const { fleet, redis, random, platform, judge } = world;
  const began = performance.now();
  const traffic = new Traffic(fleet, random, options.sessions);
  const chaos = new Chaos(fleet, redis, random, SIZES, options.lockMs);
  const blows = chaos.run(options.blowEveryMs);
  await traffic.run(options.messages, options.perSecond);
  const sentMs = performance.now() - began;
  await waitUntil('one round of blows', () => chaos.roundDone, Boolean, options.settleMs);
  chaos.end();
  await blows;
  const missing = await settled(platform, traffic, options.settleMs);
  const transcripts = await readTranscripts(platform, traffic);
  const { stops, killedAt } = fleet;
  const books = { judge, transcripts, accepted: traffic.accepted, dedupe: world.dedupe.attempts, plain: world.plain.attempts };
  const { verdict, counts } = judgeWorld({ ...books, stops, deaths: killedAt, lockMs: options.lockMs });
  const verdicts: Verdict = { ...verdict, ...judgeTelegram(transcripts, world.telegram.posts, chaos.counts) };
  const stray = await strayKeys(platform.request, transcripts);
  if (stray.length > 0) verdicts['left in Redis'] = stray;
  if (missing) verdicts['not settled'] = [missing];
  const swept = [...fleet.swept];
  if (swept.length > 0) verdicts['the sweeper found'] = swept;
  return {
    ok: Object.keys(verdicts).length === 0,
    verdict: verdicts,
    options,
    traffic: traffic.counts,
    chaos: chaos.counts,
    failovers: chaos.failovers,
    counts,
    outcomes: outcomes(transcripts),
    deadDeliveries: await deadDeliveries(platform),
    resumeMs: resumeTimes(judge, killedAt),
    sentMs: Math.round(sentMs),
    tookMs: Math.round(performance.now() - began),
  };
}

/** Waits until every message has its end and nothing is busy. @returns what is missing after `ms`, if anything. */
async function settled(platform: Platform, traffic: Traffic, ms: number): Promise<unknown> {
  const wanted = [...traffic.accepted.values()].reduce((sum, ids) => sum + ids.length, 0);
  const ends = async (): Promise<number> =>
    [...(await readTranscripts(platform, traffic)).values()].flat().flatMap(({ inputs }) => inputs).length;
  const busy = async (): Promise<number> => (await platform.busy.count('turns')) + (await platform.busy.count('deliveries'));
  try {
    await waitUntil('nothing is busy', busy, (count) => count === 0, ms);
    await waitUntil('every message has its end', ends, (count) => count >= wanted, 10_000);
    return undefined;
  } catch (error) {
    return {
      error: String(error),
      busy: await platform.busy.list('turns', 5),
      deliveries: await platform.busy.list('deliveries', 5),
    };
  }
}

async function readTranscripts(platform: Platform, traffic: Traffic): Promise<Map<string, TurnRecord[]>> {
  const sessions = [...traffic.accepted.keys()];
  const records = await Promise.all(sessions.map((session) => platform.sessions.transcript(session, 10_000)));
  return new Map(sessions.map((session, index) => [session, records[index] ?? []]));
}

/** Reason -> how many: on a loaded machine a request may time out with its fate unknown, and is then not sent again. */
async function deadDeliveries(platform: Platform): Promise<Record<string, number>> {
  const reasons: Record<string, number> = {};
  for (const queue of platform.deadLetters.board) {
    for (const job of await queue.getWaiting()) {
      const { reason } = job.data as { reason: string };
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
  }
  return reasons;
}

function outcomes(transcripts: ReadonlyMap<string, readonly TurnRecord[]>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of [...transcripts.values()].flat()) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
