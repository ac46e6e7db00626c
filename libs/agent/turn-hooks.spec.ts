import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { TerminalError } from '#kernel';
import { Hooks, type HookHandler, type HookName, type TurnDeps } from './index.js';
import { Killed, TurnWorld } from './turn-world.fixture.js';

function hooked<N extends HookName>(name: N, handler: HookHandler<N>): Hooks {
  const hooks = new Hooks();
  hooks.on(name, handler);
  return hooks;
}

const sendsOnce = () =>
  new TurnWorld((step) =>
    step === 1
      ? { text: '旁白', calls: [{ id: 'c', name: 'message', arguments: '{"content":"secret"}' }] }
      : { text: 'the secret' },
  ).addTool('message', 'idempotent', async ({ content }, { callId, sends }) => {
    await sends.now({ key: callId, text: String(content), mode: 'immediate', fellBack: false });
    return { text: 'sent', isError: false };
  });
const callsOnce = (name: string, args = '{"path":"/etc"}') =>
  new TurnWorld((step) => (step === 1 ? { calls: [{ id: 'c', name, arguments: args }] } : { text: 'ok' }));
const results = (world: TurnWorld) =>
  world.progress.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));

describe('hooks in a turn', () => {
  test('TU-3 before_tool_call edits the arguments; they are journalled before they are used', async () => {
    const seen: unknown[] = [];
    const world = callsOnce('read').addTool('read', 'pure', async (args) => (seen.push(args), { text: 'x', isError: false }));
    await world.run({}, { hooks: hooked('before_tool_call', () => ({ arguments: { path: '/tmp' } })) });
    expect(seen).toEqual([{ path: '/tmp' }]);
    expect(world.journal[1]).toEqual({ k: 'started', call: 'c', arguments: '{"path":"/tmp"}' });
  });

  test('TU-3 arguments that a hook changed in place, or left as they were, are journalled accordingly', async () => {
    const started = async (handler: HookHandler<'before_tool_call'>) => {
      const world = callsOnce('read').addTool('read', 'once');
      await world.run({}, { hooks: hooked('before_tool_call', handler) });
      return world.journal[1];
    };
    expect(await started(({ arguments: args }) => void (args['path'] = '/tmp'))).toEqual({
      k: 'started',
      call: 'c',
      arguments: '{"path":"/tmp"}',
    });
    expect(await started(({ arguments: args }) => ({ arguments: { ...args } }))).toEqual({ k: 'started', call: 'c' });
  });

  test('TU-1 TU-3 an edit that was journalled is used again after a crash, and the hook is not asked again', async () => {
    const seen: unknown[] = [];
    let asked = 0;
    const hooks = hooked('before_tool_call', () => ({ arguments: { path: `/tmp/${(asked += 1)}` } }));
    const world = callsOnce('read').addTool('read', 'idempotent', async (args) => {
      seen.push(args);
      if (seen.length > 1) return { text: 'x', isError: false };
      const killed = new Killed();
      world.stop.abort(killed);
      throw killed;
    });
    await expect(world.run({}, { hooks })).rejects.toBeInstanceOf(Killed);
    await world.run({}, { hooks });
    expect([asked, seen]).toEqual([1, [{ path: '/tmp/1' }, { path: '/tmp/1' }]]);
  });

  test('TU-3 a blocked call does not run, and the model reads why', async () => {
    const world = callsOnce('exec').addTool('exec', 'once');
    await world.run({}, { hooks: hooked('before_tool_call', () => ({ block: 'not on a Sunday' })) });
    expect(world.ran).toEqual([]);
    expect(results(world)).toEqual(['exec was not run: not on a Sunday.']);
    expect(world.journal.map(({ k }) => k)).toEqual(['answer', 'finished', 'answer']);
  });

  test('TU-3 after_tool_call is told of what ran, with the arguments it ran with', async () => {
    const told: unknown[] = [];
    const hooks = hooked('after_tool_call', (payload) => void told.push(payload));
    await callsOnce('read').addTool('read', 'pure').run({}, { hooks });
    await expect
      .poll(() => told)
      .toMatchObject([{ turn: 't~1', tool: 'read', callId: 'c', arguments: { path: '/etc' }, isError: false }]);
  });

  test('TU-3 message_sending rewrites a narration, a send and the answer; nothing is shown before it was asked', async () => {
    const world = sendsOnce();
    const hooks = hooked('message_sending', ({ mode, text }) => ({ text: `${mode}: ${text.replace('secret', '***')}` }));
    const { text, messages } = await world.run({}, { hooks });
    expect(world.sent.map((send) => send.text)).toEqual(['narration: 旁白', 'immediate: ***']);
    expect(text).toBe('final: the ***');
    expect(world.events.filter(({ type }) => type === 'text.delta')).toEqual([]);
    expect(messages.at(-1)).toMatchObject({ text: 'the secret' });
  });

  test('TU-3 message_sending cancels: nothing is stored, the model reads why, and the turn goes on', async () => {
    const world = sendsOnce();
    const { text } = await world.run({}, { hooks: hooked('message_sending', () => ({ block: 'it names a secret' })) });
    expect([world.sent, text]).toEqual([[], '']);
    expect(results(world)).toEqual(['message failed: the text was not sent: it names a secret']);
  });

  test('TU-3 a message_sending check that does not work holds the answer back, and the turn says so', async () => {
    const hooks = hooked('message_sending', () => Promise.reject(new Error('broken')));
    await expect(sendsOnce().run({}, { hooks })).rejects.toMatchObject({ code: 'send_check_failed' });
  });

  test('TU-1 TU-3 a send that is stored is not asked about again: a hook that has changed its mind changes nothing', async () => {
    const world = sendsOnce();
    world.journal.push(
      { k: 'answer', step: 1, text: '', toolCalls: [{ id: 'c', name: 'message', arguments: '{"content":"secret"}' }] },
      { k: 'started', call: 'c' },
      { k: 'send', n: 1, key: 'c', mode: 'immediate', text: '***', fellBack: false, at: 1 },
    );
    const asked: string[] = [];
    await world.run({}, { hooks: hooked('message_sending', ({ mode }) => (asked.push(mode), { block: 'no' })) });
    expect([asked, results(world)]).toEqual([['final'], ['sent']]);
  });

  test('TU-3 an abandoned tool sends nothing, however long a hook thinks about it', async () => {
    const thinking = Promise.withResolvers<undefined>();
    const hooks = hooked('message_sending', ({ mode }) => (mode === 'final' ? undefined : thinking.promise));
    const world = new TurnWorld((step) => (step === 1 ? { calls: [{ name: 'slow' }] } : { text: 'ok' })).addTool(
      'slow',
      'once',
      async (_args, { sends }) => {
        await sends.now({ key: 'k', text: 'late', mode: 'immediate', fellBack: false });
        return { text: '', isError: false };
      },
      { timeoutMs: 5 },
    );
    await world.run({}, { hooks });
    thinking.resolve(undefined);
    await thinking.promise;
    expect(world.sent).toEqual([]);
  });

  test('TU-3 before_prompt_build adds around the system prompt and narrows the tools of the turn', async () => {
    const world = callsOnce('exec').addTool('read', 'pure').addTool('exec', 'once');
    await world.run({}, { hooks: hooked('before_prompt_build', () => ({ before: 'B', after: 'A', tools: ['read', 'more'] })) });
    expect(world.requests[0]).toMatchObject({ system: 'B\n\nbe kind\n\nA', tools: [{ name: 'read' }] });
    expect(results(world)).toEqual(['There is no tool named "exec". Available tools: read.']);
  });

  test('TU-3 MO-6 before_model_resolve changes provider and model; one that names none there is changes nothing', async () => {
    const asked: string[] = [];
    const other = (id: string) => ({
      id,
      async *stream({ model }: { model: string }) {
        asked.push(`${id}/${model}`);
        yield { type: 'text' as const, text: 'ok' };
        yield { type: 'stop' as const, reason: 'stop' as const };
      },
    });
    const resolveModel = (name: string) => {
      if (name !== 'small/mini') throw new TerminalError('model_not_found', name);
      return { provider: other('small'), model: 'mini' };
    };
    const world = new TurnWorld(() => ({}));
    const change = (answer: { provider?: string; model?: string }) =>
      world.run({}, { provider: other('big'), resolveModel, hooks: hooked('before_model_resolve', () => answer) });
    await change({ provider: 'small', model: 'mini' });
    world.journal.length = 0;
    await change({ model: 'gone' });
    expect(asked).toEqual(['small/mini', 'big/m']);
  });

  test('TU-3 MO-6 a hook gives a turn to the utility model by its tier, and its answers count as that tier', async () => {
    const world = new TurnWorld(() => ({ text: 'ok' }));
    const seen: unknown[] = [];
    const hooks = hooked('before_model_resolve', ({ provider, model, tier, prompt }) => {
      seen.push([provider, model, tier]);
      return prompt.join() === 'go' ? { tier: 'utility' } : {};
    });
    const smallAnswer = [
      { type: 'text', text: 'ok' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } },
      { type: 'stop', reason: 'stop' },
    ];
    const small = { id: 'small', stream: () => Readable.from(smallAnswer) };
    const spent = async (context: TurnDeps['context'], prompt: string) => {
      world.journal.length = 0;
      await world.run({ user: [{ role: 'user', text: prompt }] }, { hooks, context });
      return world.progress.ledger.lines.map(({ model, tier }) => `${tier} ${model}`);
    };
    const utilityModel = { provider: small, model: 'mini' };
    expect(await spent({ utilityModel }, 'go')).toEqual(['utility small/mini']);
    expect(await spent({ utilityModel }, 'a hard question')).toEqual(['main fake/m']);
    expect(await spent({}, 'go')).toEqual(['utility fake/m']);
    expect(seen).toEqual(Array(3).fill(['fake', 'm', 'main']));
  });

  test('TU-3 before_agent_start refuses a turn before the model is asked, and is not asked again once it has begun', async () => {
    const hooks = hooked('before_agent_start', ({ prompt }) => ({ block: `no ${prompt.join()}` }));
    const world = new TurnWorld(() => ({ text: 'ok' }));
    await expect(world.run({}, { hooks })).rejects.toMatchObject({ name: 'TurnRefused', code: 'refused', message: 'no go' });
    expect(world.requests).toEqual([]);
    world.journal.push({ k: 'answer', step: 1, text: 'kept', toolCalls: [] });
    expect((await world.run({}, { hooks })).text).toBe('kept');
  });

  test('TU-3 llm_input sees and edits the final request; llm_output is told of the whole answer', async () => {
    const hooks = hooked('llm_input', ({ request }) => ({ request: { ...request, system: `${request.system}!` } }));
    const told: unknown[] = [];
    hooks.on('llm_output', (payload) => void told.push(payload));
    const world = callsOnce('read').addTool('read', 'pure');
    await world.run({}, { hooks });
    expect(world.requests.map(({ system }) => system)).toEqual(['be kind!', 'be kind!']);
    await expect
      .poll(() => told)
      .toMatchObject([
        { provider: 'fake', model: 'm', text: '', toolCalls: [{ id: 'c', name: 'read' }], usage: { inputTokens: 10 } },
        { text: 'ok', toolCalls: [] },
      ]);
  });

  test('TU-3 without a handler a turn is asked nothing and shows its text as it comes', async () => {
    const world = callsOnce('read').addTool('read', 'pure');
    await world.run({}, { hooks: new Hooks() });
    expect(world.steps).toEqual([['answer'], ['started'], ['finished'], ['answer']]);
    expect(world.events.some(({ type }) => type === 'text.delta')).toBe(true);
  });
});
