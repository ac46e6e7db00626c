import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '#contracts';
import type { WireReply } from './fakes/wire-server.js';
import { FailoverWorld, WIRES, type Api } from './failover-world.js';

const status = (code: number, more: Partial<WireReply & { kind: 'status' }> = {}): WireReply => ({
  kind: 'status',
  status: code,
  ...more,
});
const PAIRS: [Api, Api][] = [
  ['anthropic', 'openai-chat'],
  ['openai-chat', 'anthropic'],
  ['openai-chat', 'google'],
];

describe('MO-3 a primary that fails is replaced, on real wires', () => {
  test.each<[string, WireReply, number]>([
    ['401', status(401), 1],
    ['402', status(402), 1],
    ['404', status(404), 1],
    ['429', status(429, { headers: { 'retry-after': '60' } }), 1],
    ['500', status(500), 2],
    ['502', status(502), 2],
    ['503 server_is_overloaded', status(503, { body: '{"error":{"code":"server_is_overloaded"}}' }), 2],
    ['504', status(504), 1],
    ['529', status(529), 1],
    ['530', status(530), 2],
    ['a 500 that took a second', status(500, { afterMs: 1000 }), 1],
    ['an error inside the stream', { kind: 'errorEvent', text: 'half' }, 2],
    ['a cut in the middle', { kind: 'cut', text: 'half' }, 2],
    ['a silence in the middle', { kind: 'stall', text: 'half' }, 1],
    ['an answer of nothing', { kind: 'nothing' }, 2],
  ])('MO-3 B013 B017 %s: the fallback answers, and one answer is read', async (_, reply, most) => {
    await using world = await FailoverWorld.start(['openai-chat', 'anthropic'], () => reply);
    const { text, events } = await world.ask();
    expect(text).toBe('from the fallback');
    expect(world.primary.bodies.length).toBeLessThanOrEqual(most);
    expect(world.fallback.bodies).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'stop' });
    expect(events.findLast(({ type }) => type === 'answering')).toEqual({
      type: 'answering',
      model: 'anthropic/model-of-anthropic',
    });
    expect(world.rests).toEqual(reply.kind === 'nothing' ? [] : ['openai-chat']);
  });

  test('MO-3 a passing failure costs one more call of the same model, and nothing rests', async () => {
    const once = (n: number): WireReply => (n === 0 ? { kind: 'cut', text: 'half' } : { kind: 'answer', text: 'whole' });
    await using world = await FailoverWorld.start(['anthropic', 'openai-chat'], once);
    const { text, events } = await world.ask();
    expect([text, world.rests, world.fallback.bodies.length]).toEqual(['whole', [], 0]);
    expect(events.filter(({ type }) => type === 'restart')).toHaveLength(1);
  });

  test('MO-3 a request that the primary finds wrong is shown to nobody else', async () => {
    await using world = await FailoverWorld.start(['openai-chat', 'anthropic'], () => status(400));
    await expect(world.ask()).rejects.toMatchObject({ code: 'format' });
    expect([world.primary.bodies.length, world.fallback.bodies.length]).toEqual([1, 0]);
  });
});

const TOOLS = ['weather', 'files_read', 'message'].map((name) => ({
  name,
  description: `does ${name}`,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    required: ['city'],
  },
}));
/** Led with several providers: ids and names as those write them, arguments that are no JSON, two users in a row. */
const CONVERSATION: ChatMessage[] = [
  { role: 'user', text: 'weather?' },
  {
    role: 'assistant',
    text: '',
    toolCalls: [
      { id: 'toolu_01:A/b', name: 'weather', arguments: '{"city":"上海"}' },
      { id: 'call.2', name: 'files read', arguments: '{"city":"Ber' },
    ],
  },
  { role: 'tool', callId: 'toolu_01:A/b', name: 'weather', text: '21 C', isError: false },
  { role: 'tool', callId: 'call.2', name: 'files read', text: '', isError: true },
  { role: 'user', text: 'and tomorrow?' },
  { role: 'user', text: 'please' },
];

test.each(PAIRS)(
  'T9 MO-3 from %s to %s: strict servers of both accept it, and prompt and tools are the same',
  async (...apis) => {
    await using world = await FailoverWorld.start(apis, () => status(503));
    await world.ask({ messages: CONVERSATION, tools: TOOLS });
    const [asked, instead] = [world.primary.bodies[0], world.fallback.bodies[0]];
    expect([WIRES[apis[0]].problems(asked), WIRES[apis[1]].problems(instead)]).toEqual([[], []]);
    for (const body of [asked, instead]) {
      expect(toolNames(body)).toEqual(TOOLS.map(({ name }) => name));
      expect(JSON.stringify(body)).toContain('be kind');
      expect(JSON.stringify(body).indexOf('and tomorrow?')).toBeGreaterThan(JSON.stringify(body).indexOf('21 C'));
    }
  },
);

/** In the order in which they are offered, whatever the wire. */
function toolNames(body: unknown): string[] {
  const tools = JSON.stringify((body as { tools: unknown }).tools);
  return [...tools.matchAll(/"name":"(\w+)"/g)].map(([, name = '']) => name);
}
