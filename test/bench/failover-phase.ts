import { FailoverWorld } from '../failover-world.js';
import type { WireReply } from '../fakes/wire-server.js';

export interface FailoverFigures {
  questions: number;
  /** By the fallback, whole. */
  answered: number;
  /** What the failure of the primary cost, ms. */
  p50: number;
  p95: number;
}

const QUESTIONS = 200;
const AT_ONCE = 10;
const status = (code: number, afterMs = 0): WireReply => ({ kind: 'status', status: code, afterMs });
/** How a primary fails, in turn; those that take a while among them. */
const FAILURES: readonly WireReply[] = [
  status(500),
  status(502, 300),
  status(503, 700),
  status(529),
  status(429),
  status(401),
  status(500, 1200),
  { kind: 'cut', text: 'half' },
  { kind: 'errorEvent', text: 'half' },
];

/** Each question meets a primary that fails, and no rest is remembered: the worst a user can have (MO-3). */
export async function measureFailover(): Promise<FailoverFigures> {
  await using world = await FailoverWorld.start(
    ['openai-chat', 'anthropic'],
    (n) => FAILURES[n % FAILURES.length] ?? status(500),
  );
  let left = QUESTIONS;
  let answered = 0;
  const asker = async (): Promise<void> => {
    while (left-- > 0) {
      const { text } = await world.ask();
      if (text === 'from the fallback') answered += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, asker));
  const lost = world.lost.toSorted((one, other) => one - other);
  const at = (share: number) => lost[Math.ceil(share * lost.length) - 1] ?? Number.NaN;
  return { questions: QUESTIONS, answered, p50: at(0.5), p95: at(0.95) };
}
