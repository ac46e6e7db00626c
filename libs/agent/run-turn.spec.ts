import { describe, expect, test } from 'vitest';
import type { ModelEvent } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

const message = (world: TurnWorld) =>
  world.addTool('message', 'idempotent', async ({ content }, { callId, sends }) => {
    await sends.now({ key: callId, text: String(content), mode: 'immediate', fellBack: false });
    return { text: '{"ok":true}', isError: false };
  });
const says = (content: string) => ({ name: 'message', arguments: JSON.stringify({ content }) });

describe('the turn loop', () => {
  test('B002 a send does not end the turn: four answers, one battery, three messages in order', async () => {
    const script = [
      { calls: [says('开始查')] },
      { calls: [{ name: 'battery' }] },
      { calls: [says('电量 81%')] },
      { text: '完成' },
    ];
    const world = message(new TurnWorld((step) => script[step - 1] ?? {})).addTool('battery', 'pure');
    const result = await world.run();
    expect(world.timeline).toEqual([
      'ask',
      'run message',
      'send 开始查',
      'ask',
      'run battery',
      'ask',
      'run message',
      'send 电量 81%',
      'ask',
    ]);
    expect(result).toMatchObject({ text: '完成', steps: 4, usage: { inputTokens: 40, outputTokens: 4 } });
  });

  test('B001 TO-1 a progress message leaves before the tool after it runs', async () => {
    const script = [{ calls: [says('收到，开始分析...'), { name: 'slow_query' }] }, { text: '报告完成' }];
    const world = message(new TurnWorld((step) => script[step - 1] ?? {})).addTool('slow_query', 'pure');
    await world.run();
    expect(world.timeline).toEqual(['ask', 'run message', 'send 收到，开始分析...', 'run slow_query', 'ask']);
  });

  const beside = [
    { text: '步骤一完成', calls: [says('附件 A')] },
    { text: '步骤二完成', calls: [says('附件 B')] },
    { text: '全部完成' },
  ];

  test('B005 text beside tool calls keeps its place among the sends', async () => {
    const world = message(new TurnWorld((step) => beside[step - 1] ?? {}));
    expect((await world.run()).text).toBe('全部完成');
    expect(world.sent.map(({ text, mode }) => [text, mode])).toEqual([
      ['步骤一完成', 'narration'],
      ['附件 A', 'immediate'],
      ['步骤二完成', 'narration'],
      ['附件 B', 'immediate'],
    ]);
  });

  test('B005 with narration off only the sends leave', async () => {
    const world = message(new TurnWorld((step) => beside[step - 1] ?? {}));
    await world.run({ narration: false });
    expect(world.sent.map(({ text }) => text)).toEqual(['附件 A', '附件 B']);
  });

  test('RT-4 verbose names the tools of a step before they run, whether or not text is narrated; sends show themselves', async () => {
    const script = [
      { text: 'looking', calls: [{ name: 'noop' }, says('here')] },
      { calls: [says('and here')] },
      { text: 'done' },
    ];
    const run = async (narration: boolean): Promise<string[]> => {
      const world = message(new TurnWorld((step) => script[step - 1] ?? {})).addTool('noop', 'pure');
      await world.run({ verbose: true, narration });
      return world.sent.map(({ text }) => text);
    };
    expect(await run(true)).toEqual(['looking\n· noop', 'here', 'and here']);
    expect(await run(false)).toEqual(['· noop', 'here', 'and here']);
  });

  test('B005 narration waits for the end where the channel cannot send before it', async () => {
    const world = new TurnWorld((step) => (step === 1 ? { text: 'one', calls: [{ name: 'noop' }] } : { text: 'two' })).addTool(
      'noop',
      'pure',
    );
    world.canSendNow = false;
    world.now = () => Promise.reject(new Error('this channel cannot'));
    await world.run();
    expect(world.sent).toEqual([{ key: 'text:1', text: 'one', mode: 'narration', fellBack: true }]);
  });

  test('TU-2 the step limit asks once more, without tools, and says so', async () => {
    const world = new TurnWorld((_step, { tools }) =>
      tools.length > 0 ? { calls: [{ name: 'noop' }] } : { text: 'so far', calls: [{ name: 'noop' }] },
    );
    const result = await world.addTool('noop', 'once').run({ maxSteps: 2 });
    expect(result).toMatchObject({ text: 'so far', steps: 3 });
    expect(world.requests.map(({ system }) => system.includes('step limit'))).toEqual([false, false, true]);
    expect(world.ran).toHaveLength(2);
  });

  test('TU-1 ids that the model repeats, leaves out or takes from our send keys become unique before they are journalled', async () => {
    const ids = ['x', 'x', '', 'text:2', 'x:batch'];
    const world = new TurnWorld((step) =>
      step <= 2 ? { calls: ids.map((id) => ({ id, name: 'noop' })) } : { text: 'ok' },
    ).addTool('noop', 'once');
    await world.run();
    expect(world.ran).toEqual(['x', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3', '2.4']);
  });

  test('TU-8 deltas carry the step and the running offset in UTF-16 units', async () => {
    const events: ModelEvent[] = ['你好', '😀', '!'].map((text) => ({ type: 'text', text }));
    const world = new TurnWorld(() => [...events, { type: 'reasoning', text: 'secret' }, { type: 'stop', reason: 'length' }]);
    expect((await world.run()).text).toBe('你好😀!');
    expect(world.events.map((event) => event.type === 'text.delta' && [event.step, event.offset, event.text])).toEqual([
      [1, 0, '你好'],
      [1, 2, '😀'],
      [1, 4, '!'],
    ]);
  });

  test('MO-2 watchers learn of a call when it begins, by the name of its tool, and of its arguments nothing', async () => {
    const world = new TurnWorld((step) =>
      step > 1
        ? { text: 'ok' }
        : [
            { type: 'tool_call_start', index: 0, name: ' Noop' },
            { type: 'tool_call_start', index: 1, name: 'no such tool' },
            { type: 'tool_call_delta', index: 0, arguments: '{"secret":1}' },
            { type: 'tool_call', id: 'a', name: ' Noop', arguments: '{"secret":1}' },
            { type: 'stop', reason: 'tool_calls' },
          ],
    ).addTool('noop', 'pure');
    await world.run();
    expect(world.events.filter(({ type }) => type === 'tool.draft')).toEqual([
      { type: 'tool.draft', turn: 't~1', step: 1, name: 'noop' },
    ]);
    expect(JSON.stringify(world.events)).not.toContain('secret');
  });

  test.each(['NO_REPLY', ' no_reply\n'])(
    'TU-8 a silent reply %j is neither shown nor sent, alone or beside tools',
    async (word) => {
      const pieces = word.split('').map((text): ModelEvent => ({ type: 'text', text }));
      const call: ModelEvent = { type: 'tool_call', id: 'a', name: 'noop', arguments: '' };
      const world = new TurnWorld((step) => [...pieces, ...(step === 1 ? [call] : []), { type: 'stop', reason: 'stop' }]).addTool(
        'noop',
        'pure',
      );
      expect((await world.run()).text).toBe('');
      expect([world.sent, world.events.filter((event) => event.type === 'text.delta')]).toEqual([[], []]);
    },
  );

  test('TU-8 an answer that only begins like a silent reply is shown whole', async () => {
    const world = new TurnWorld(() => [
      { type: 'text', text: 'NO' },
      { type: 'text', text: ' way' },
      { type: 'stop', reason: 'stop' },
    ]);
    expect((await world.run()).text).toBe('NO way');
    expect(world.events).toMatchObject([{ offset: 0, text: 'NO way' }]);
  });

  test('TU-8 an empty answer and a stream without an end are errors, and nothing of them is journalled', async () => {
    const empty = new TurnWorld(() => ({ text: ' \n' }));
    await expect(empty.run()).rejects.toMatchObject({ name: 'TransientError', code: 'empty_response' });
    const cut = new TurnWorld(() => [{ type: 'text', text: 'half' }]);
    await expect(cut.run()).rejects.toMatchObject({ name: 'TransientError', code: 'stream_truncated' });
    expect([...empty.journal, ...cut.journal]).toEqual([]);
  });
});
