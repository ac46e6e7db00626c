import { describe, expect, test } from 'vitest';
import { Hooks, type HookName } from '../index.js';

const ids = { tenant: 'acme', session: 's', turn: 't~1' };
const call = { ...ids, tool: 'db', callId: 'c', arguments: { a: 1 } };
const prompt = { ...ids, prompt: ['hi'], system: 'be kind', tools: ['read', 'write'] };
const never = new AbortController().signal;

function failing() {
  const hooks = new Hooks();
  const failures: [HookName, string][] = [];
  hooks.onFailure = (hook, error) => failures.push([hook, error instanceof Error ? error.name : String(error)]);
  return { hooks, failures };
}

describe('hooks', () => {
  test('TU-3 handlers are asked one after the other: high priority first, equal ones as registered, each sees what was changed', async () => {
    const hooks = new Hooks();
    const add = (word: string, priority?: number) =>
      hooks.on('message_sending', ({ text }) => ({ text: `${text} ${word}` }), priority === undefined ? {} : { priority });
    add('third');
    add('last', -1);
    add('fourth');
    add('first', 9);
    add('second', 9);
    const verdict = await hooks.gate('message_sending', { ...ids, mode: 'final', text: '' }, never);
    expect(verdict).toMatchObject({ payload: { text: ' first second third fourth last' } });
  });

  test('TU-3 a modify hook that throws or is late changes nothing, is reported, and the others go on', async () => {
    const { hooks, failures } = failing();
    hooks.on('before_prompt_build', () => Promise.reject(new RangeError('broken')));
    hooks.on('before_prompt_build', () => Promise.withResolvers<never>().promise, { timeoutMs: 5 });
    hooks.on('before_prompt_build', () => ({ before: 'first', after: 'last' }));
    const built = await hooks.modify('before_prompt_build', prompt, never);
    expect(built.system).toBe('first\n\nbe kind\n\nlast');
    expect(failures).toEqual([
      ['before_prompt_build', 'RangeError'],
      ['before_prompt_build', 'TimeoutError'],
    ]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    ['is late', () => Promise.withResolvers<never>().promise],
  ])('TU-3 a gate that %s refuses, with a reason that tells nothing of the error', async (_what, handler) => {
    const { hooks, failures } = failing();
    hooks.on('before_tool_call', handler, { timeoutMs: 5 });
    hooks.on('before_tool_call', () => expect.unreachable('a refusal is final'));
    const verdict = await hooks.gate('before_tool_call', call, never);
    expect(verdict).toEqual({ kind: 'refused', reason: 'the check before_tool_call did not work', failed: true });
    expect(failures).toHaveLength(1);
  });

  test('TU-3 TU-7 a request for approval keeps nobody from refusing, the first one counts, and edits behind it as well', async () => {
    const hooks = new Hooks();
    hooks.on('before_tool_call', () => ({ approval: { title: 'Delete everything?' } }));
    hooks.on('before_tool_call', () => ({ approval: { title: 'Really?' }, arguments: { a: 2 } }));
    expect(await hooks.gate('before_tool_call', call, never)).toEqual({
      kind: 'passed',
      payload: { ...call, arguments: { a: 2 } },
      approval: { title: 'Delete everything?' },
    });
    hooks.on('before_tool_call', () => ({ block: 'never' }));
    hooks.on('before_tool_call', () => expect.unreachable('a refusal is final'));
    expect(await hooks.gate('before_tool_call', call, never)).toEqual({ kind: 'refused', reason: 'never', failed: false });
  });

  test('TU-3 tools are only narrowed, whatever is asked for', async () => {
    const hooks = new Hooks();
    hooks.on('before_prompt_build', () => ({ tools: ['read', 'exec'] }));
    hooks.on('before_prompt_build', ({ tools }) => ({ tools: [...tools, 'write'] }));
    expect((await hooks.modify('before_prompt_build', prompt, never)).tools).toEqual(['read']);
  });

  test('TU-3 observers are told at once, are not waited for, and their failures are reported', async () => {
    const { hooks, failures } = failing();
    const slow = Promise.withResolvers<void>();
    const told: string[] = [];
    hooks.on('after_tool_call', async ({ tool }) => (told.push(`slow ${tool}`), slow.promise.then(() => undefined)));
    hooks.on('after_tool_call', ({ tool }) => void told.push(`quick ${tool}`));
    hooks.on('after_tool_call', () => {
      throw new TypeError('broken');
    });
    hooks.observe('after_tool_call', { ...call, text: '', isError: false, durationMs: 1 });
    await expect.poll(() => [told, failures]).toEqual([['slow db', 'quick db'], [['after_tool_call', 'TypeError']]]);
    slow.resolve();
  });

  test('QU-3 TU-3 a turn that is stopped waits for no hook, and the stop is no failure of it', async () => {
    const { hooks, failures } = failing();
    const stop = new AbortController();
    hooks.on('before_tool_call', () => (stop.abort(new Error('/stop')), Promise.withResolvers<never>().promise));
    await expect(hooks.gate('before_tool_call', call, stop.signal)).rejects.toThrow('/stop');
    expect(failures).toEqual([]);
  });

  test('TU-3 a wrong name or time limit is refused at registration, with what is right', () => {
    const hooks = new Hooks();
    const unknown: string = 'before_tool';
    expect(() => hooks.on(unknown as 'turn_end', () => undefined)).toThrow(/no hook "before_tool"; there are: message_received,/);
    for (const timeoutMs of [0, 600_001, Number.NaN])
      expect(() => hooks.on('turn_end', () => undefined, { timeoutMs })).toThrow('must be from 1 to 600000');
    expect(hooks.has('turn_end')).toBe(false);
  });
});
