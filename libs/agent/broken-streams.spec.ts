import { describe, expect, test } from 'vitest';
import { TransientError } from '#kernel';
import type { ModelEvent, TurnDeps } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

const STOP: ModelEvent = { type: 'stop', reason: 'stop' };
const text = (words: string): ModelEvent => ({ type: 'text', text: words });
const badGateway = () => new TransientError('server_error', '502 stream_interrupted');

/** A provider whose stream ends with an error after some events. */
function breaking(events: readonly ModelEvent[], error: Error): Pick<TurnDeps, 'provider'> {
  const stream = async function* () {
    yield* events;
    throw error;
  };
  return { provider: { id: 'broken', stream } };
}

describe('streams that are no answers', () => {
  test.each<[string, ModelEvent[], string]>([
    ['reasoning and nothing else', [{ type: 'reasoning', text: 'hm' }, STOP], 'empty_response'],
    ['reasoning that was written as text', [text('<think>hm</think>'), text('\n'), STOP], 'empty_response'],
    ['reasoning that is never closed', [text('<think>hm, 答案'), STOP], 'empty_response'],
    ['an end marker and nothing else', [STOP], 'empty_response'],
    ['reasoning, then a cut', [{ type: 'reasoning', text: 'hm' }], 'stream_truncated'],
    ['some text, then a cut', [text('部分')], 'stream_truncated'],
    ['a call, then a cut', [{ type: 'tool_call', id: 't9', name: 'noop', arguments: '{}' }], 'stream_truncated'],
  ])('TU-8 B017 %s: an error, nothing is journalled and nothing runs', async (_what, events, code) => {
    const world = new TurnWorld(() => events).addTool('noop', 'once');
    await expect(world.run()).rejects.toMatchObject({ name: 'TransientError', code });
    expect([world.journal, world.ran, world.sent]).toEqual([[], [], []]);
  });

  test('TU-8 B017 half an answer, then 502: the next attempt answers whole, and shows its text from the beginning', async () => {
    const world = new TurnWorld(() => ({ text: '继续' }));
    await expect(world.run({}, breaking([text('部分')], badGateway()))).rejects.toMatchObject({ code: 'server_error' });
    expect(world.progress.interrupted()).toEqual([{ role: 'assistant', text: '部分', toolCalls: [], interrupted: true }]);
    expect(world.journal).toEqual([]);
    expect(await world.run()).toMatchObject({ text: '继续', messages: [{ text: '继续' }] });
    expect(world.events.map((event) => event.type === 'text.delta' && [event.offset, event.text])).toEqual([
      [0, '部分'],
      [0, '继续'],
    ]);
  });

  test('MO-3 an answer that begins again is shown from its beginning, and nothing of the first one is left', async () => {
    const world = new TurnWorld(() => [
      { type: 'answering', model: 'one/m' },
      text('half <thi'),
      { type: 'tool_call', id: 'a', name: 'noop', arguments: '{}' },
      { type: 'usage', usage: { inputTokens: 9, outputTokens: 9 } },
      { type: 'restart' },
      { type: 'answering', model: 'two/m/x' },
      text('who'),
      text('le'),
      STOP,
    ]).addTool('noop', 'once');
    expect(await world.run()).toMatchObject({ text: 'whole', steps: 1 });
    expect(world.journal).toMatchObject([{ k: 'answer', step: 1, text: 'whole', toolCalls: [], model: 'two/m/x' }]);
    expect(world.events.map((event) => event.type === 'text.delta' && [event.offset, event.text])).toEqual([
      [0, 'half '],
      [0, ''],
      [0, 'who'],
      [3, 'le'],
    ]);
  });

  test('MO-3 a refusal without a word ends the turn: asking again would be refused again', async () => {
    const world = new TurnWorld(() => [{ type: 'stop', reason: 'refusal' }]);
    await expect(world.run()).rejects.toMatchObject({ name: 'TerminalError', code: 'refusal' });
  });

  test('TU-8 B014 a call cut in the middle leaves nothing behind that a provider would refuse', async () => {
    const world = new TurnWorld((step) => (step === 1 ? { calls: [{ id: 'a', name: 'noop' }] } : badGateway())).addTool(
      'noop',
      'once',
    );
    await expect(world.run()).rejects.toMatchObject({ code: 'server_error' });
    const kept = world.progress.interrupted();
    const asked = kept.flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : []));
    const answered = kept.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect([asked, answered]).toEqual([['a'], ['a']]);
  });

  test.each([
    ['without a name', { name: '', arguments: '{}' }, 'There is no tool named "". Available tools: noop.'],
    ['with cut arguments', { name: 'noop', arguments: '{"url":"htt' }, 'Unterminated string in JSON at position 11'],
  ])('TU-5 B014 a call %s is answered, not crashed', async (_what, call, problem) => {
    const world = new TurnWorld((step) =>
      step === 1
        ? [
            { type: 'tool_call', id: 'a', ...call },
            { type: 'stop', reason: 'length' },
          ]
        : { text: 'sorry' },
    ).addTool('noop', 'once');
    expect((await world.run()).text).toBe('sorry');
    expect(world.ran).toEqual([]);
    expect(world.progress.messages[1]).toMatchObject({ callId: 'a', isError: true, text: expect.stringContaining(problem) });
  });
});
