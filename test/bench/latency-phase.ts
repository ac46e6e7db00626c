import { percentiles, type Percentiles } from './percentiles.js';
import type { Mark } from './questions.js';
import type { Side } from './side.js';

/** ms between two places, by the monotonic clock of the host. */
export type Latency = Record<string, Percentiles>;

const SESSIONS = 97;
const WARM_UP = 200;
/** From where to where. `accept` is when the envelope is handed over, not when it is stored. */
const WAYS: readonly { name: string; from: Mark['place']; to: Mark['place'] }[] = [
  { name: 'accept', from: 'accept', to: 'accepted' },
  { name: 'accept -> model call', from: 'accept', to: 'model' },
  { name: 'reply -> channel call', from: 'answer', to: 'channel' },
  { name: 'accept -> channel call', from: 'accept', to: 'channel' },
];

/** Messages at a moderate, even rate, over 97 sessions. */
export async function measureLatency(side: Side, perSecond: number, messages: number): Promise<Latency> {
  const all = Array.from({ length: WARM_UP + messages }, (_, n) => ({ n, session: n % SESSIONS }));
  await side.sender.ask('send', { items: all, inFlight: all.length, perSecond });
  await side.untilHandled(all.length);
  const marks = await side.marks();
  const at = new Map(marks.map((mark) => [`${mark.place}${mark.n}`, mark.at]));
  const measured = all.slice(WARM_UP);
  const ways = WAYS.map(({ name, from, to }) => {
    const times = measured.flatMap(({ n }) => {
      const [began, ended] = [at.get(`${from}${n}`), at.get(`${to}${n}`)];
      return began === undefined || ended === undefined ? [] : [ended - began];
    });
    return [name, times] as const;
  });
  return Object.fromEntries(ways.filter(([, times]) => times.length > 0).map(([name, times]) => [name, percentiles(times)]));
}
