import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FallbackOverflow, type ModelEvent } from '#agent';
import { TransientError } from '#kernel';
import { ChainWorld, failure, never, REQUEST, STOP, TEXT, type Behaviour, type State } from './chain-world.fixture.js';
import { mostFailures, REACTIONS } from './failover-policy.js';

const CHAIN = ['a/m1#1', 'a/m1#2', 'a/m1#3', 'b/m2#1'] as const;

describe('the table of reactions', () => {
  test.each([
    ['auth', ['a/m1#1', 'a/m1#2'], 'key'],
    ['auth_permanent', ['a/m1#1', 'a/m1#2'], 'key_long'],
    ['billing', ['a/m1#1', 'a/m1#2'], 'key_long'],
    ['rate_limit', ['a/m1#1', 'a/m1#2'], 'model'],
    ['overloaded', ['a/m1#1', 'a/m1#2'], 'model'],
    ['server_error', ['a/m1#1', 'a/m1#1', 'b/m2#1'], 'model'],
    ['network', ['a/m1#1', 'a/m1#1', 'b/m2#1'], 'model'],
    ['stream_truncated', ['a/m1#1', 'a/m1#1', 'b/m2#1'], 'model'],
    ['timeout', ['a/m1#1', 'b/m2#1'], 'model'],
    ['model_not_found', ['a/m1#1', 'b/m2#1'], 'model'],
    ['empty_response', ['a/m1#1', 'a/m1#1', 'b/m2#1'], undefined],
    ['no_room', ['a/m1#1', 'a/m1#2'], undefined],
    ['unknown', ['a/m1#1', 'b/m2#1'], undefined],
  ])('MO-3 B013 %s asks %j and lets rest: %s', async (code, asked, rest) => {
    const world = new ChainWorld({ 'a/m1#1': failure(code) });
    expect(await world.ask(...CHAIN)).toBe('fine');
    expect(world.asked).toEqual(asked);
    expect(world.rests).toEqual(rest ? [['a/m1#1', rest]] : []);
    expect(world.told.at(-1)).toMatchObject({ kind: 'answered', asked: 'a/m1' });
  });

  test.each(['format', 'context_overflow'])('MO-3 %s goes no further', async (code) => {
    const world = new ChainWorld({ 'a/m1#1': failure(code) });
    await expect(world.ask(...CHAIN)).rejects.toMatchObject({ code });
    expect([world.asked, world.rests]).toEqual([['a/m1#1'], []]);
  });

  test('MO-3 a second key that is limited too sends to the next model, not to a third', async () => {
    const world = new ChainWorld({ 'a/m1#1': failure('rate_limit'), 'a/m1#2': failure('rate_limit') });
    await world.ask(...CHAIN);
    expect(world.asked).toEqual(['a/m1#1', 'a/m1#2', 'b/m2#1']);
  });

  test('MO-3 every key is tried that may be valid', async () => {
    const world = new ChainWorld({
      'a/m1#1': failure('auth'),
      'a/m1#2': failure('billing'),
      'a/m1#3': failure('auth_permanent'),
    });
    await world.ask(...CHAIN);
    expect(world.asked).toEqual(CHAIN);
  });

  test.each([
    [1, 32],
    [2, 40],
    [9, 96],
    [40, 160],
  ])('MO-3 %i keys allow %i failures', (keys, most) => {
    expect(mostFailures(keys)).toBe(most);
  });
});

describe('what is streamed', () => {
  test('MO-3 B017 text of a candidate that dies is taken back', async () => {
    const world = new ChainWorld({ 'a/m1#1': [TEXT, { type: 'text', text: '(dies)' }] });
    world.callMs = 1500;
    const events: string[] = [];
    for await (const { type } of world.chain('a/m1#1', 'b/m2#1').stream(REQUEST, never)) events.push(type);
    expect(events).toEqual(['answering', 'text', 'restart', 'answering', 'text', 'stop']);
  });

  test.each([
    ['nothing', [STOP]],
    ['reasoning', [{ type: 'reasoning', text: 'hm' }, STOP]],
    ['reasoning as text', [{ type: 'text', text: '<think>hm' }, STOP]],
  ] as [string, ModelEvent[]][])('MO-3 B017 B037 an answer of %s is none', async (_, nothing) => {
    const world = new ChainWorld({ 'a/m1#1': nothing });
    expect(await world.ask('a/m1#1', 'b/m2#1')).toBe('fine');
  });

  test('MO-3 a refusal is an answer', async () => {
    const world = new ChainWorld({ 'a/m1#1': [{ type: 'stop', reason: 'refusal' }] });
    expect(await world.ask('a/m1#1', 'b/m2#1')).toBe('');
    expect(world.asked).toEqual(['a/m1#1']);
  });

  test('MO-3 an abort goes no further', async () => {
    const stop = new AbortController();
    const world = new ChainWorld({ 'a/m1#1': [TEXT, { type: 'text', text: '(dies)' }] });
    const chain = world.chain('a/m1#1', 'b/m2#1');
    const reason = new Error('/stop');
    const broken = async () => {
      for await (const event of chain.stream(REQUEST, stop.signal)) if (event.type === 'text') stop.abort(reason);
    };
    await expect(broken()).rejects.toBe(reason);
    expect([world.asked, world.rests]).toEqual([['a/m1#1'], []]);
  });

  test('MO-3 only the model of the request changes', async () => {
    const world = new ChainWorld({ 'a/m1#1': failure('timeout') });
    await world.ask('a/m1#1', 'b/m2#1');
    expect(world.requests).toEqual([REQUEST, { ...REQUEST, model: 'm2' }]);
  });
});

describe('time', () => {
  test.each([
    [100, 'a/m1#1 a/m1#1 b/m2#1'],
    [900, 'a/m1#1 b/m2#1'],
  ])('MO-3 a call that fails in %i ms is repeated only within the 2 s the user may lose', async (callMs, asked) => {
    const world = new ChainWorld({ 'a/m1#1': failure('server_error') });
    world.callMs = callMs;
    await world.ask('a/m1#1', 'b/m2#1');
    expect(world.asked.join(' ')).toBe(asked);
    expect(world.told.findLast(({ kind }) => kind === 'answered')).toMatchObject({ lostMs: expect.any(Number) });
    for (const event of world.told) if (event.kind === 'answered') expect(event.lostMs).toBeLessThanOrEqual(2000);
  });

  test('MO-3 Retry-After is a floor: what is to be asked in 3 s is not asked now', async () => {
    const world = new ChainWorld({ 'a/m1#1': new TransientError('server_error', '503', 3000) });
    await world.ask('a/m1#1', 'b/m2#1');
    expect([world.asked, world.waits]).toEqual([['a/m1#1', 'b/m2#1'], []]);
    const short = new ChainWorld({ 'a/m1#1': new TransientError('server_error', '503', 700) });
    await short.ask('a/m1#1', 'b/m2#1');
    expect(short.waits).toEqual([700]);
  });

  test('MO-3 who stands alone is asked once: the turn waits, and frees its slot', async () => {
    const world = new ChainWorld({ 'a/m1#1': failure('server_error') });
    await expect(world.ask('a/m1#1')).rejects.toMatchObject({ code: 'server_error' });
    expect([world.asked, world.told]).toEqual([['a/m1#1'], []]);
  });
});

describe('health', () => {
  test('MO-3 who rests is asked last, in order, and whoever answers is well again', async () => {
    const states: Record<string, State> = { 'a/m1#1': 'resting', 'b/m2#1': 'resting' };
    const world = new ChainWorld({ 'c/m3#1': failure('timeout') }, states);
    await world.ask('a/m1#1', 'b/m2#1', 'c/m3#1');
    expect([world.asked, world.recovered]).toEqual([['c/m3#1', 'a/m1#1'], ['a/m1#1']]);
  });

  test.each([
    [true, ['a/m1#1'], ['a/m1#1']],
    [false, ['b/m2#1'], []],
  ])('MO-3 when a rest is over one caller finds out (%j), the others go on', async (mayProbe, asked, recovered) => {
    const world = new ChainWorld({}, { 'a/m1#1': 'due' });
    world.mayProbe = mayProbe;
    await world.ask('a/m1#1', 'b/m2#1');
    expect([world.probes, world.asked, world.recovered]).toEqual([['a/m1#1'], asked, recovered]);
  });

  test('MO-3 a probe that fails costs one call', async () => {
    const world = new ChainWorld({ 'a/m1#1': failure('server_error') }, { 'a/m1#1': 'due' });
    await world.ask('a/m1#1', 'b/m2#1');
    expect(world.asked).toEqual(['a/m1#1', 'b/m2#1']);
  });

  test('MO-3 who stands alone is asked whatever is known of it', async () => {
    const world = new ChainWorld({}, { 'a/m1#1': 'resting' });
    expect(await world.ask('a/m1#1')).toBe('fine');
    expect(world.probes).toEqual([]);
  });
});

test.each([
  [['auth', 'rate_limit', 'no_room'], { name: 'NotNowError' }],
  [['auth', 'timeout', 'auth'], { code: 'timeout' }],
  [['billing', 'auth', 'model_not_found'], { code: 'billing' }],
])('MO-3 when %j is all that came, the turn goes on with the best of it', async ([one = '', two = '', three = ''], best) => {
  const world = new ChainWorld({ 'a/m1#1': failure(one), 'b/m2#1': failure(two), 'c/m3#1': failure(three) });
  await expect(world.ask('a/m1#1', 'b/m2#1', 'c/m3#1')).rejects.toMatchObject(best);
});

describe('windows', () => {
  test('T8 a request that a stand-in has no room for is not sent: the ladder gets its window', async () => {
    const world = new ChainWorld({ 'a/m1#1': failure('timeout') });
    world.windows = { 'b/m2': 2 };
    await expect(world.ask('a/m1#1', 'b/m2#1')).rejects.toMatchObject({
      model: 'b/m2',
      windowTokens: 2,
      code: 'context_overflow',
    });
    expect(world.asked).toEqual(['a/m1#1']);
  });

  test('T8 a stand-in that refuses for its length says whose window it was; the first model just says so', async () => {
    const world = new ChainWorld({ 'a/m1#1': failure('timeout'), 'b/m2#1': failure('context_overflow') });
    await expect(world.ask('a/m1#1', 'b/m2#1', 'c/m3#1')).rejects.toBeInstanceOf(FallbackOverflow);
    const first = new ChainWorld({ 'a/m1#1': failure('context_overflow') });
    await expect(first.ask('a/m1#1', 'b/m2#1')).rejects.not.toBeInstanceOf(FallbackOverflow);
  });
});

test('MO-3 whatever fails: order is kept, nobody is asked a third time, nothing passes what ends it, and the bound holds', async () => {
  const ids = ['a/m1#1', 'a/m1#2', 'b/m2#1', 'b/m2#2', 'c/m3#1'] as const;
  const code = fc.constantFrom(...Object.keys(REACTIONS), 'fine');
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...ids.map(() => fc.tuple(code, code))),
      fc.dictionary(fc.constantFrom(...ids), fc.constantFrom<State>('well', 'resting', 'due')),
      fc.integer({ min: 1, max: 12 }),
      async (scripts, states, left) => {
        const said = (one: string): Behaviour => (one === 'fine' ? [TEXT, STOP] : failure(one));
        const entries = ids.map((id, n) => [id, (scripts[n] ?? []).map(said)] as const);
        const world = new ChainWorld(Object.fromEntries(entries), states);
        world.failuresLeft.count = left;
        const outcome = await world.ask(...ids).catch((error: unknown) => error);
        const counts = ids.map((id) => world.asked.filter((one) => one === id).length);
        expect(Math.max(...counts)).toBeLessThanOrEqual(2);
        const charged = world.told.filter((event) => event.kind === 'failed' && event.code !== 'no_room').length;
        expect(charged).toBeLessThanOrEqual(left);
        const isLate = (id: string) => states[id] === 'resting';
        const order = [...ids.filter((id) => !isLate(id)), ...ids.filter(isLate)];
        const places = world.asked.map((id) => order.indexOf(id as (typeof ids)[number]));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        const last = world.asked.at(-1) ?? expect.fail();
        const nth = world.asked.filter((one) => one === last).length - 1;
        const end = scripts[ids.indexOf(last as (typeof ids)[number])]?.[nth];
        if (outcome === 'fine') expect(end).toBe('fine');
        for (const ending of ['format', 'context_overflow']) if (end === ending) expect(outcome).toMatchObject({ code: ending });
      },
    ),
    { numRuns: 300 },
  );
});
