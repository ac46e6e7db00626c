import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { connect, loadScript, type RedisClient } from '#redis';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const FLIGHT = 400;
const script = loadScript(import.meta.dirname, 'permit-at', 'rates');

/** A bot with two chats, one of which has topics: conversations that share its rate. */
const RATES = { bot: { count: 3, per: 100 }, a: { count: 1, per: 100 }, b: { count: 2, per: 300 } } as const;
type RateName = keyof typeof RATES;
const CONVERSATIONS: readonly { who: string; rates: readonly RateName[] }[] = [
  { who: 'a', rates: ['bot', 'a'] },
  { who: 'b1', rates: ['bot', 'b'] },
  { who: 'b2', rates: ['bot', 'b'] },
  { who: 'b3', rates: ['bot', 'b'] },
  ...Array.from({ length: 6 }, (_, n) => ({ who: `c${n}`, rates: ['bot'] as const })),
];

let redis: RedisServer;
let client: RedisClient;
let runs = 0;
beforeAll(async () => {
  redis = await startRedis();
  client = connect(redis.url, 'worker', () => undefined);
});
afterAll(async () => {
  client.disconnect();
  await redis.stop();
});

/** The rule of one rate, said as slowly as possible: places, each free from some time on, and a line in front of them. */
class SlowRate {
  /** Permit -> when its place is free. */
  readonly places = new Map<string, number>();
  readonly line = new Map<string, number>();
  pausedUntil = 0;
  constructor(
    private readonly count: number,
    readonly per: number,
  ) {}

  opening(now: number, who: string): number {
    for (const [permit, free] of this.places) if (free <= now) this.places.delete(permit);
    for (const [waiting, at] of this.line) if (at <= now - 10_000) this.line.delete(waiting);
    const mine = this.line.get(who) ?? Infinity;
    const ahead = [...this.line.values()].filter((at) => at >= now - 200 && at < mine);
    // At the earliest: whoever is on its way may be answered this very moment.
    const taken = [...this.places.values()].map((free) => Math.min(free, now + this.per)).sort((a, b) => a - b);
    const free = [...Array.from({ length: this.count }, () => now), ...taken].slice(-Math.max(this.count, 0));
    for (let n = 0; n < ahead.length; n++) free.push(Math.max(takeFirst(free), this.pausedUntil) + this.per);
    return Math.max(takeFirst(free), this.pausedUntil);
  }
}

function takeFirst(times: number[]): number {
  times.sort((a, b) => a - b);
  return times.shift() ?? expect.fail('a rate has at least one place');
}

interface Sent {
  rates: readonly RateName[];
  arrived: number;
}

/** One run: the script in Redis, the model beside it, and what the platform sees. */
class Run {
  private now = 1_000_000;
  private readonly prefix = `{b0}:r:${++runs}`;
  private readonly model = new Map<RateName, SlowRate>();
  private readonly inHand = new Map<string, { permit: string; from: number }>();
  private permits = 0;
  readonly sent: Sent[] = [];

  constructor() {
    for (const [name, { count, per }] of Object.entries(RATES)) this.model.set(name as RateName, new SlowRate(count, per));
  }

  pass(ms: number): void {
    this.now += ms;
  }

  /** Asks, or where a permit is in hand gives it back first. @param twice sent again after a reconnect */
  async ask(index: number, arrival: number, twice: boolean): Promise<void> {
    const { who, rates } = CONVERSATIONS[index] ?? expect.fail();
    const used = this.answered(index, arrival);
    const permit = `${who}/${++this.permits}`;
    const expected = this.expected(who, rates, permit);
    const args = [permit, used, FLIGHT, who, 0, 0] as const;
    expect(await this.call(rates, args)).toBe(expected);
    if (twice) expect(await this.call(rates, args)).toBe(expected);
    if (expected === 0) this.inHand.set(who, { permit, from: this.now });
  }

  /** The answer is heard: the request had arrived somewhere in between. */
  async giveBack(index: number, arrival: number, pause: number): Promise<void> {
    const { who, rates } = CONVERSATIONS[index] ?? expect.fail();
    const used = this.answered(index, arrival);
    const rate = this.rate(rates[pause % rates.length] ?? 'bot');
    if (pause > 0) rate.pausedUntil = Math.max(rate.pausedUntil, this.now + pause);
    await this.call(rates, ['', used, FLIGHT, who, pause > 0 ? (pause % rates.length) + 1 : 0, pause]);
  }

  /** Its process dies; the request may have left, and arrive as late as it can. */
  die(index: number, arrival: number): void {
    const { who, rates } = CONVERSATIONS[index] ?? expect.fail();
    const held = this.inHand.get(who);
    if (held) this.sent.push({ rates, arrived: held.from + Math.round(FLIGHT * arrival) });
    this.inHand.delete(who);
  }

  private answered(index: number, arrival: number): string {
    const { who, rates } = CONVERSATIONS[index] ?? expect.fail();
    const held = this.inHand.get(who);
    if (!held) return '';
    // A request is given up before its permit ends.
    const answered = Math.min(this.now, held.from + FLIGHT);
    this.sent.push({ rates, arrived: held.from + Math.round((answered - held.from) * arrival) });
    this.inHand.delete(who);
    for (const name of rates) {
      const { places, per } = this.rate(name);
      if (places.has(held.permit)) places.set(held.permit, this.now + per);
    }
    return held.permit;
  }

  private expected(who: string, rates: readonly RateName[], permit: string): number {
    const openings = rates.map((name) => this.rate(name).opening(this.now, who));
    const at = Math.max(...openings);
    const slowest = at > this.now ? openings.indexOf(at) : -1;
    for (const [index, name] of rates.entries()) {
      const { places, line, per } = this.rate(name);
      line.delete(who);
      if (index === slowest) line.set(who, at);
      if (slowest < 0) places.set(permit, this.now + FLIGHT + per);
    }
    return at - this.now;
  }

  private rate(name: RateName): SlowRate {
    return this.model.get(name) ?? expect.fail();
  }

  private async call(rates: readonly RateName[], args: readonly (string | number)[]): Promise<number> {
    const sizes = rates.flatMap((name) => [RATES[name].count, RATES[name].per]);
    const keys = rates.map((name) => `${this.prefix}:${name}`);
    return Number(await script.run(client, keys, [this.now, ...args, ...sizes]));
  }
}

const who = fc.nat(CONVERSATIONS.length - 1);
const arrival = fc.double({ min: 0, max: 1, noNaN: true });
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ do: fc.constant('ask' as const), who, arrival, twice: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('giveBack' as const), who, arrival, pause: fc.constantFrom(0, 0, 0, 250) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(0, 1, 7, 50, 100, 300) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), who, arrival }) },
);

/** Most arrivals of a rate in any of its windows. */
function worstWindow(sent: readonly Sent[], name: RateName): number {
  const times = sent.filter(({ rates }) => rates.includes(name)).map(({ arrived }) => arrived);
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + RATES[name].per).length));
}

proves(
  ['OUT-1', 'T3', 'G6'],
  'permits are what a slow model of the rule grants, and whenever requests arrive no window of the platform sees too many',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 120 }), async (steps) => {
        const run = new Run();
        for (const one of steps) {
          if (one.do === 'pass') run.pass(one.ms);
          else if (one.do === 'die') run.die(one.who, one.arrival);
          else if (one.do === 'ask') await run.ask(one.who, one.arrival, one.twice);
          else await run.giveBack(one.who, one.arrival, one.pause);
        }
        for (const name of Object.keys(RATES) as RateName[])
          expect(worstWindow(run.sent, name)).toBeLessThanOrEqual(RATES[name].count);
      }),
      { numRuns: 150 },
    );
  },
);
