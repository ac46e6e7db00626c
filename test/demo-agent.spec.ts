import { describe, expect, test } from 'vitest';
import { PLAIN_TEXT, runTurn, type ModelEvent, type ModelRequest, type SendRequest, type TurnInput } from '#agent';
import type { ChatMessage } from '#contracts';
import { systemClock } from '#kernel';
import { ScriptedProvider } from '#models';
import { nativeTools } from '#tools';

const provider = new ScriptedProvider({ paceMs: 0 });
const tools = nativeTools({ message: { defaultDeliveryMode: 'immediate', fallbackToBatchOnError: true } });

/** Runs one turn against the demo agent; `line` is what the user would see arrive, in order. */
async function chat(text: string, history: ChatMessage[] = [], input: Partial<TurnInput> = {}) {
  const line: string[] = [];
  const atEnd: string[] = [];
  let n = 0;
  const now = async ({ text: content }: SendRequest) => {
    line.push(content);
    return { state: 'queued' as const, sequenceInTurn: (n += 1), queuedAt: 1 };
  };
  const later = async ({ text: content }: SendRequest) => {
    atEnd.push(content);
    return { sequenceInTurn: (n += 1), queuedAt: 1 };
  };
  const turn: TurnInput = {
    turn: 't~1',
    session: 's',
    tenant: 'acme',
    system: '',
    model: 'demo',
    history: [{ turn: 't~0', messages: history }],
    user: [{ role: 'user', text }],
    journal: [],
    tools: tools.map((tool) =>
      tool.name === 'wait' ? { ...tool, execute: async () => ({ text: 'Waited', isError: false }) } : tool,
    ),
    ...input,
  };
  const step = async () => ({ cancelled: false, joins: false });
  const sends = { canSendNow: true, abilities: PLAIN_TEXT, findMessage: async () => undefined, now, atEnd: later };
  const result = await runTurn(
    turn,
    { provider, step, sends, emit: () => undefined, clock: systemClock },
    new AbortController().signal,
  );
  const ran = result.messages.flatMap((message) => (message.role === 'tool' ? [message.name] : []));
  return { line, atEnd, ran, ...result };
}

describe('the demo agent', () => {
  test('seed 003 curl test 1: three searches, each followed by its own progress message', async () => {
    const { ran, line, text } = await chat('执行3次搜索并在每次后发送进度');
    expect(ran).toEqual(['demo_search', 'message', 'demo_search', 'message', 'demo_search', 'message']);
    expect(line).toEqual(['进度：第 1/3 次搜索完成', '进度：第 2/3 次搜索完成', '进度：第 3/3 次搜索完成']);
    expect(text).toContain('共执行 3 次搜索');
  });

  test('seed 003 curl test 2: immediate and batched messages in one turn', async () => {
    const { line, atEnd } = await chat('使用两种消息模式处理');
    expect([line.length, atEnd.length]).toEqual([2, 2]);
    expect((await chat('batch please')).atEnd).toHaveLength(2);
  });

  test.each(['分析一下', 'write a report'])('B001 %j reports its progress while it works', async (text) => {
    const { ran, line } = await chat(text);
    expect(ran).toEqual(['message', 'demo_search', 'wait', 'message', 'calculator', 'wait']);
    expect(line).toHaveLength(2);
  });

  test.each([
    ['calculate 12*7', 'calculator', '12*7 = 84'],
    ['计算 (1+2)*3', 'calculator', '(1+2)*3 = 9'],
    ['what time is it?', 'current_time', 'It is'],
    ['现在几点', 'current_time', '现在是'],
    ['slow 10', 'wait', 'Waited 10 s'],
  ])('MO-1 %j uses %s', async (text, tool, answer) => {
    const result = await chat(text);
    expect(result.ran).toEqual([tool]);
    expect(result.text).toContain(answer);
  });

  test.each([
    ['hello', 'demo agent'],
    ['你好', '演示智能体'],
    ['what is Turnpike?', 'killed at any moment'],
    ['你是谁', '不丢、不重、不乱序'],
  ])('MO-1 it answers %j', async (text, words) => {
    expect((await chat(text)).text).toContain(words);
  });

  test('MO-1 unknown text is echoed with hints and with what it remembers of the session', async () => {
    const history: ChatMessage[] = [
      { role: 'user', text: 'my cat is Tom' },
      { role: 'assistant', text: 'nice', toolCalls: [] },
    ];
    const { text } = await chat('blue', history);
    expect(text).toContain('"blue"');
    expect(text).toContain('message 2 from you in this session; the first was "my cat is Tom"');
    expect(text).toContain('Try: ');
  });

  test('TU-2 without the tool it needs it says so instead of calling it', async () => {
    expect(await chat('calculate 1+1', [], { tools: [] })).toMatchObject({
      ran: [],
      text: expect.stringContaining('"calculator" is not available'),
    });
  });

  const request: ModelRequest = {
    model: 'demo',
    system: '',
    messages: [{ role: 'user', text: '你是谁 and what is Turnpike?' }],
    tools: [],
  };
  const collect = async () => {
    const events: ModelEvent[] = [];
    for await (const event of provider.stream(request, new AbortController().signal)) events.push(event);
    return events;
  };

  test('MO-1 the same request gets the same answer, in small pieces, with a stop at the end', async () => {
    const events = await collect();
    expect(await collect()).toEqual(events);
    const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(40);
    expect(texts.length).toBeGreaterThan(20);
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'stop' });
  });

  test('QU-3 its pauses end with the reason of the signal', async () => {
    const stop = new AbortController();
    const stream = new ScriptedProvider({ paceMs: 60_000 }).stream(request, stop.signal).next();
    stop.abort(new Error('/stop'));
    await expect(stream).rejects.toThrow('/stop');
  });
});
