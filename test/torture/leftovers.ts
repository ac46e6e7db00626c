import type { TurnRecord } from '#contracts';
import type { RedisClient } from '#redis';
import { OF_THE_DEPLOYMENT } from '../harness/deployment-keys.js';
import { scanKeys } from '../harness/scan-keys.js';

/** What G7 lets an idle session keep: its head and its transcript, without end; everything else for a while only. `r` are rates of accounts. */
const FOR_EVER = /^\{b\d+\}:(h|t):/;
const WITH_TTL = /^\{b\d+\}:(i|rc|c|n|e|eo|rp|r|u):/;
const DEAD_LETTERS = /^\{b\d+\}:s-/;

/** Keys that nothing should have left behind. Dead letters may keep the queues that show them; the report counts them. */
export async function strayKeys(redis: RedisClient, transcripts: ReadonlyMap<string, readonly TurnRecord[]>): Promise<string[]> {
  const stray: string[] = [];
  const dead = [...transcripts]
    .filter(([, records]) => records.some(({ outcome }) => outcome === 'dead'))
    .map(([session]) => session);
  for await (const keys of scanKeys(redis)) {
    for (const key of keys) {
      if (FOR_EVER.test(key) || OF_THE_DEPLOYMENT.test(key)) continue;
      if (DEAD_LETTERS.test(key) && dead.some((session) => key.includes(`:s-${session}:`))) continue;
      if (WITH_TTL.test(key) && (await redis.pttl(key)) > 0) continue;
      stray.push(key);
    }
  }
  return stray;
}
