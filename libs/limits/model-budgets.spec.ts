import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect, Keyspace, type RedisClient } from '#redis';
import { ModelBudgets, type BudgetLimits, type CallEnd } from './index.js';

const LEARNED: BudgetLimits = { requestsPerMinute: 0, tokensPerMinute: 0 };
const keyspace = new Keyspace(1, 'model-budgets-spec:');
let redis: RedisClient;
let models = 0;

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'worker');
  await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

const freshName = () => ({ account: 'hash', model: `m${++models}` });
const end = (more: Partial<CallEnd>): CallEnd => ({
  reservation: undefined,
  tokensUsed: undefined,
  outcome: 'ok',
  retryAfterMs: undefined,
  said: undefined,
  ...more,
});
const said = (requests: object, tokens: object = {}) => ({ requests, tokens, ageMs: 0 });
const redisMs = async () => {
  const [s = 0, us = 0] = await redis.time();
  return Number(s) * 1000 + Number(us) / 1000;
};

/** Asks for calls of these sizes; a refused one comes back at its time. @returns when each was let through, and for how much */
async function run(budgets: ModelBudgets, limits: BudgetLimits, sizes: readonly number[], pauseMs = 0) {
  const name = freshName();
  const through: { at: number; tokens: number }[] = [];
  for (const [n, tokens] of sizes.entries()) {
    if (n === sizes.length >> 1 && pauseMs > 0) await until((await redisMs()) + pauseMs);
    for (;;) {
      const [answer, at] = await Promise.all([
        budgets.reserve(name, limits, { ticket: `t${n}`, tenant: 'a', tokens }),
        redisMs(),
      ]);
      if (answer.kind === 'reserved') {
        through.push({ at, tokens });
        break;
      }
      await until(at + answer.ms);
    }
  }
  return through;
}

async function until(at: number): Promise<void> {
  while ((await redisMs()) < at);
}

describe('QU-5 what is let through', () => {
  test('QU-5 no window sees more than the limits, wherever it begins and whatever came before', async () => {
    const windowMs = 150;
    const limits = { requestsPerMinute: 40, tokensPerMinute: 10_000 };
    const budgets = new ModelBudgets(redis, keyspace, windowMs);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 30, maxLength: 80 }),
        fc.integer({ min: 0, max: 200 }),
        async (sizes, pauseMs) => {
          const through = await run(budgets, limits, sizes, pauseMs);
          for (const { at: from } of through) {
            const inWindow = through.filter(({ at }) => at >= from && at < from + windowMs - 1);
            expect(inWindow.length).toBeLessThanOrEqual(40);
            expect(inWindow.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(10_000);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test('QU-5 half of the allowance is there at once, and nothing is known of a key without limits', async () => {
    const budgets = new ModelBudgets(redis, keyspace);
    const name = freshName();
    const ask = (n: number, limits: BudgetLimits) => budgets.reserve(name, limits, { ticket: `t${n}`, tenant: 'a', tokens: 1 });
    const limits = { requestsPerMinute: 20, tokensPerMinute: 0 };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n, limits)));
    expect(answers.map(({ kind }) => kind).lastIndexOf('reserved')).toBe(8);
    expect(budgets.isKnown(name)).toBe(false);
    expect(await ask(99, LEARNED)).toMatchObject({ kind: 'reserved' });
  });

  test('QU-5 what was reserved and not used comes back, once; what was used beyond it is taken', async () => {
    const budgets = new ModelBudgets(redis, keyspace);
    const name = freshName();
    const limits = { requestsPerMinute: 0, tokensPerMinute: 1000 };
    const ask = async (tokens: number) => budgets.reserve(name, limits, { ticket: 't', tenant: 'a', tokens });
    const first = await ask(450);
    expect(await ask(200)).toMatchObject({ kind: 'wait' });
    const settled = end({ reservation: first.kind === 'reserved' ? first.reservation : '', tokensUsed: 50 });
    await Promise.all([budgets.settle(name, limits, settled), budgets.settle(name, limits, settled)]);
    expect(await ask(400)).toMatchObject({ kind: 'reserved' });
    expect(await ask(70)).toMatchObject({ kind: 'wait' });
    const last = await ask(40);
    await budgets.settle(name, limits, end({ reservation: last.kind === 'reserved' ? last.reservation : '', tokensUsed: 300 }));
    expect(await ask(1)).toMatchObject({ kind: 'wait', usedShare: 1 });
  });
});

describe('QU-5 the line', () => {
  test('QU-5 QU-4 a newcomer of another tenant is behind one call of each tenant, not behind a burst', async () => {
    const budgets = new ModelBudgets(redis, keyspace, 1000);
    const name = freshName();
    const limits = { requestsPerMinute: 20, tokensPerMinute: 0 };
    const ask = (tenant: string, n: number) => budgets.reserve(name, limits, { ticket: `${tenant}${n}`, tenant, tokens: 1 });
    const burst = await Promise.all(Array.from({ length: 40 }, (_, n) => ask('hog', n)));
    const waits = burst.flatMap((answer) => (answer.kind === 'wait' ? [answer.ms] : []));
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    const small = await ask('small', 0);
    const place = waits.filter((ms) => small.kind === 'wait' && ms < small.ms).length;
    expect(small).toMatchObject({ kind: 'wait' });
    expect(place).toBeLessThanOrEqual(2);
  });

  test('QU-5 a place is kept over tries, and who does not come is not waited for', async () => {
    const budgets = new ModelBudgets(redis, keyspace, 400);
    const name = freshName();
    const limits = { requestsPerMinute: 10, tokensPerMinute: 0 };
    const ask = (ticket: string) => budgets.reserve(name, limits, { ticket, tenant: 'a', tokens: 1 });
    while ((await ask('fill')).kind === 'reserved');
    await ask('gone');
    const again = [await ask('kept'), await ask('behind'), await ask('kept')];
    const [first = 0, behind = 0, second = 0] = again.map((answer) => (answer.kind === 'wait' ? answer.ms : 0));
    expect(behind).toBeGreaterThan(first);
    expect(second).toBeLessThanOrEqual(first);
    const kept = async () => {
      for (;;) {
        const answer = await ask('kept');
        if (answer.kind === 'reserved') return;
        await until((await redisMs()) + answer.ms);
      }
    };
    await kept();
  });
});

describe('QU-5 what the provider says', () => {
  test('QU-5 limits that nobody configured are learned from its answers, and known to every runner', async () => {
    const [one, other] = [new ModelBudgets(redis, keyspace), new ModelBudgets(redis, keyspace)];
    const name = freshName();
    await one.settle(name, LEARNED, end({ said: said({ limit: 20, remaining: 3 }) }));
    expect(one.isKnown(name)).toBe(true);
    await other.start();
    other.stop();
    expect(other.isKnown(name)).toBe(true);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => other.reserve(name, LEARNED, { ticket: `t${n}`, tenant: 'a', tokens: 1 })),
    );
    expect(answers.filter(({ kind }) => kind === 'reserved')).toHaveLength(3);
  });

  test('QU-5 what it says is left only ever lowers what is counted here', async () => {
    const budgets = new ModelBudgets(redis, keyspace);
    const name = freshName();
    const limits = { requestsPerMinute: 20, tokensPerMinute: 0 };
    const ask = (n: number) => budgets.reserve(name, limits, { ticket: `t${n}`, tenant: 'a', tokens: 1 });
    for (let n = 0; n < 7; n++) await ask(n);
    await budgets.settle(name, limits, end({ said: said({ limit: 1000, remaining: 1000 }) }));
    expect(await ask(8)).toMatchObject({ kind: 'reserved', usedShare: expect.closeTo(0.8, 1) });
    await budgets.settle(name, limits, end({ said: said({ remaining: 0 }) }));
    expect(await ask(9)).toMatchObject({ kind: 'wait' });
  });

  test('QU-5 a 429 pauses the model of the key for every runner until retry-after, without one for longer each time', async () => {
    const budgets = new ModelBudgets(redis, keyspace);
    const [name, untouched] = [freshName(), freshName()];
    const ask = (of = name) => budgets.reserve(of, LEARNED, { ticket: 't', tenant: 'a', tokens: 1 });
    const limited = (retryAfterMs?: number) => budgets.settle(name, LEARNED, end({ outcome: 'limited', retryAfterMs }));
    await limited(20_000);
    await limited(5000);
    const answer = await ask();
    expect(answer.kind === 'wait' && answer.ms).toBeGreaterThan(15_000);
    expect(await ask(untouched)).toMatchObject({ kind: 'reserved' });

    const backoff = freshName();
    await Promise.all([1, 2, 3].map(() => budgets.settle(backoff, LEARNED, end({ outcome: 'limited' }))));
    const first = await ask(backoff);
    expect(first.kind === 'wait' && first.ms).toBeLessThanOrEqual(1000);
    await until((await redisMs()) + (first.kind === 'wait' ? first.ms : 0));
    await budgets.settle(backoff, LEARNED, end({ outcome: 'limited' }));
    const second = await ask(backoff);
    expect(second.kind === 'wait' && second.ms).toBeGreaterThan(1000);
  });
});

test('QU-5 G7 nothing is kept for ever, and no key is named by a key', async () => {
  const budgets = new ModelBudgets(redis, keyspace, 1000);
  const limits = { requestsPerMinute: 2, tokensPerMinute: 100 };
  for (let n = 0; n < 4; n++) await budgets.reserve(freshName(), limits, { ticket: 't', tenant: 'a', tokens: 90 });
  const keys = await redis.keys(`${keyspace.limits('model')}*`);
  expect(keys.length).toBeGreaterThan(4);
  for (const key of keys) expect(await redis.pttl(key), key).toBeGreaterThan(0);
});
