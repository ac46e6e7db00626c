import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PLAIN_TEXT, type Tool, type ToolContext } from '#agent';
import { nativeTools } from './native-source.js';
import { evaluate } from './arithmetic.js';

const config = { message: { defaultDeliveryMode: 'immediate', fallbackToBatchOnError: true } } as const;
const clock = { now: () => Date.UTC(2026, 10, 30, 12), monotonic: () => 0 };
const nowhere: ToolContext['sends'] = {
  canSendNow: false,
  abilities: PLAIN_TEXT,
  findMessage: () => Promise.reject(new Error()),
  now: () => Promise.reject(new Error()),
  atEnd: () => Promise.reject(new Error()),
};
const context: ToolContext = {
  tenant: 'acme',
  session: 's',
  turn: 't~1',
  callId: 'c',
  sends: nowhere,
  state: { get: async () => undefined, set: async () => undefined },
  pay: () => undefined,
};

function run(name: string, args: Record<string, unknown>, signal = new AbortController().signal) {
  const tool = nativeTools(config, [], clock).find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.execute(args, context, signal);
}

describe('native tools', () => {
  test.each([
    ['12*7', '84'],
    ['1 + 2 * 3', '7'],
    ['(1+2)*3', '9'],
    ['2^3^2', '512'],
    ['-2^2', '-4'],
    ['2**-1', '0.5'],
    ['10 % 4', '2'],
    ['0.1+0.2', '0.3'],
    ['6 ÷ 4', '1.5'],
    ['--3', '3'],
    ['1.5e3', '1500'],
    ['8/2/2', '2'],
  ])('TU-2 calculator: %s = %s', async (expression, value) => {
    expect(await run('calculator', { expression })).toEqual({ text: value, isError: false });
  });

  test.each([
    ['1/0', 'not a finite number'],
    ['2 +', 'missing at the end'],
    ['(1', 'closing parenthesis'],
    ['1 2', 'Unexpected "2"'],
    ['process.exit()', 'Unexpected "p" at position 1'],
    ['1+*', 'missing before "*"'],
    ['('.repeat(501), 'longer than 500'],
  ])('TU-5 calculator: %s is an observation', async (expression, words) => {
    expect(await run('calculator', { expression })).toEqual({ text: expect.stringContaining(words), isError: true });
  });

  test('TU-2 the calculator agrees with JavaScript on random sums and products', () => {
    const operation = fc.tuple(fc.constantFrom('+', '-', '*'), fc.integer({ min: 0, max: 999 }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.array(operation, { maxLength: 8 }), (first, rest) => {
        const terms = [first];
        for (const [sign, value] of rest) {
          if (sign === '*') terms.push((terms.pop() ?? 1) * value);
          else terms.push(sign === '-' ? -value : value);
        }
        const expected = terms.reduce((sum, term) => sum + term, 0);
        expect(evaluate([first, ...rest.flat()].join(' '))).toBeCloseTo(expected, 3);
      }),
    );
  });

  test('TU-2 current_time reads the given clock in the given zone, and refuses zones that do not exist', async () => {
    expect((await run('current_time', { timeZone: 'Asia/Shanghai' })).text).toMatch(
      /30 November 2026 at 20:00:00.*2026-11-30T12:00:00\.000Z/,
    );
    expect((await run('current_time', {})).text).toContain('12:00:00 UTC');
    expect(await run('current_time', { timeZone: 'Mars/Base' })).toEqual({
      text: expect.stringContaining('not a time zone'),
      isError: true,
    });
  });

  test('TU-1 demo_search is pure: answers the same query the same and says that it is a demo', async () => {
    const first = await run('demo_search', { query: '电量' });
    expect(await run('demo_search', { query: '电量' })).toEqual(first);
    expect(first.text).toMatch(/Demo results for "电量" \(invented\)/);
    expect((await run('demo_search', { query: 'else' })).text).not.toBe(first.text);
  });

  test('QU-3 wait ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const waiting = run('wait', { seconds: 300 }, stop.signal);
    stop.abort(new Error('/stop'));
    await expect(waiting).rejects.toThrow('/stop');
    expect((await run('wait', { seconds: 301 })).isError).toBe(true);
  });
});

describe('the native tools as a whole', () => {
  const extra: Tool = {
    name: 'extra',
    description: '',
    parameters: {},
    effect: 'pure',
    execute: async () => ({ text: '', isError: false }),
  };

  test('T13 TU-1 the order is the same every time, and every tool declares an effect', () => {
    const tools = nativeTools(config, [extra]);
    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['message', 'idempotent'],
      ['ask_user', 'pure'],
      ['current_time', 'pure'],
      ['calculator', 'pure'],
      ['demo_search', 'pure'],
      ['wait', 'idempotent'],
      ['extra', 'pure'],
    ]);
  });

  test('TO-1 the message tool gets its configuration', () => {
    const [message] = nativeTools({ message: { ...config.message, defaultDeliveryMode: 'batched' } });
    expect(message?.parameters).toMatchObject({ properties: { immediate: { default: false } } });
  });
});
