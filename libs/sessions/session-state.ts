import { sessionSettingsSchema, type SessionSettings, type Usage } from '#contracts';
import type { SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

/** What people and programs are told of a session. */
export interface SessionState {
  /** Redis time, ms; the others are to be compared with it. */
  now: number;
  /** Accept sequence: messages accepted in the life of the session. */
  accepted: number;
  running: { turn: string; since: number } | undefined;
  /** Messages that wait, without those that were cancelled. */
  waiting: number;
  /** The oldest of them, in their order. */
  queue: { id: string; acceptedAt: number }[];
  settings: SessionSettings;
  /** Of all turns since the last reset. */
  usage: Usage;
  /** Of those of them whose model had a price, in the currency of models.prices. */
  cost: number;
  /** Resets so far. */
  epoch: number;
  /** First commit since the last reset; undefined while there is none. */
  beganAt: number | undefined;
}

type Head = [settings: string, inputTokens: string, outputTokens: string, cost: string, epoch: string, began: string];
type Reply = [
  now: number,
  accepted: number,
  turn: string,
  since: number,
  waiting: number,
  head: Head,
  ...listed: (string | number)[],
];

/** Whoever has more mail than this waiting is told a number that may be too high. */
const MOST_LOOKED_AT = 1000;
const stateScript = loadScript(import.meta.dirname, 'state', 'time');

/** What runs and what waits, in one round trip. @param most messages of the queue to name */
export async function sessionState(redis: RedisClient, k: Keyspace, session: SessionKey, most: number): Promise<SessionState> {
  const keys = [k.head(session), k.journal(session), k.mailbox(session, 'wait'), k.mailbox(session, 'active')];
  const reply = (await stateScript.run(redis, keys, [k.mailbox(session, ''), most, MOST_LOOKED_AT])) as Reply;
  const [now, accepted, turn, since, waiting, [settings, inputTokens, outputTokens, cost, epoch, began], ...listed] = reply;
  const queue: SessionState['queue'] = [];
  for (let index = 0; index < listed.length; index += 2)
    queue.push({ id: String(listed[index]), acceptedAt: Number(listed[index + 1]) });
  return {
    now,
    accepted,
    running: turn ? { turn, since } : undefined,
    waiting,
    queue,
    settings: readSettings(settings),
    usage: { inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) },
    cost: Number(cost) / 1_000_000,
    epoch: Number(epoch),
    beganAt: began === '' ? undefined : Number(began),
  };
}

/** As the head holds them; '' for none. */
export function readSettings(stored: unknown): SessionSettings {
  return sessionSettingsSchema.parse(JSON.parse(typeof stored === 'string' && stored !== '' ? stored : '{}'));
}
