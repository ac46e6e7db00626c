import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, generic, shown, type Line } from './chat-world.js';
import { proves } from './proves.js';

let world: ChatWorld;

beforeAll(async () => {
  const loopDetection = { warnAt: 2, blockAt: 3 };
  const agents = { thrifty: { model: 'openai/stage', maxTurnTokens: 1 }, poor: { model: 'openai/stage', maxTurnCost: 0.000001 } };
  const prices = { 'openai/stage': { inputPerMillion: 1, outputPerMillion: 2 } };
  world = await ChatWorld.start({ config: { tools: { loopDetection }, agents, models: { prices } } });
}, 90_000);
afterAll(() => world?.close());

const sum: Line = { toolCalls: [{ name: 'calculator', arguments: { expression: '1+1' } }] };
/** Says the first line once, whatever becomes of it, and then the others. */
function firstOnly(first: Line, then: Line): Line {
  let asked = 0;
  return (request) => {
    const line = (asked += 1) === 1 ? first : then;
    return typeof line === 'function' ? line(request) : line;
  };
}

describe('turns that get nowhere', () => {
  proves('TU-4', 'a loop is told to the model, then blocked, then ends the turn with a word to the user', async () => {
    const record = await world.settled(await world.say(generic('dedupe', 'loop'), 'count', Array<Line>(9).fill(sum)));
    expect(record).toMatchObject({ outcome: 'failed', reason: 'tool_loop' });
    expect(world.asked('count')).toHaveLength(5);
    expect(shown(world.dedupe, 'loop')).toEqual([
      'Sorry, I kept repeating the same steps without getting on, so I stopped. Please try again, perhaps in other words.',
    ]);
    const next = await world.settled(await world.say(generic('dedupe', 'loop'), 'hello again'));
    expect(next.outcome).toBe('answered');
  });

  proves('TU-2', 'a turn that has used up its tokens or its money stops before the next answer and says so', async () => {
    for (const [agent, reason] of [
      ['thrifty', 'token_limit'],
      ['poor', 'cost_limit'],
    ] as const) {
      const said = await world.say(generic('dedupe', agent), `work, ${agent}`, [sum], { agent });
      expect(await world.settled(said)).toMatchObject({ outcome: 'failed', reason });
      expect(world.asked(`work, ${agent}`)).toHaveLength(1);
      expect(shown(world.dedupe, agent)).toEqual([
        'Sorry, this needed more than I may spend on one message, so I stopped. Please try again with a smaller request.',
      ]);
    }
  });
});

proves('TU-9', 'a result that its tool lets turns share is found by the next session', async () => {
  const search: Line = { toolCalls: [{ name: 'demo_search', arguments: { query: 'turnpikes' } }] };
  await world.settled(await world.say(generic('dedupe', 'shared-1'), 'look for it', [search]));
  const { work } = world.platform;
  const [key = '', ...more] = (await world.redis.cli('keys', 'tr:*')).split('\n');
  expect([await work.get(key), more]).toEqual([expect.stringMatching(/^Demo results for "turnpikes"/), []]);
  expect(await work.pttl(key)).toBeLessThanOrEqual(300_000);
  await work.set(key, 'what was kept', 'KEEPTTL');
  const { messages } = await world.settled(await world.say(generic('dedupe', 'shared-2'), 'look again', [search]));
  expect(messages).toContainEqual(expect.objectContaining({ role: 'tool', text: 'what was kept' }));
});

describe('answers that are none', () => {
  proves(
    ['TU-8', 'B017'],
    'half an answer and a cut, an empty one, and 502 are asked again; only the whole answer is kept and sent',
    async () => {
      const broken: [string, Line][] = [
        ['cut', { text: '部分'.repeat(30), cutAfter: 3 }],
        ['empty', { text: '' }],
        ['gateway', { status: 502 }],
        ['reasoning', { text: '<think>only this</think>' }],
      ];
      for (const [name, line] of broken) {
        const said = await world.say(generic('dedupe', name), `answer, ${name}`, [firstOnly(line, { text: '完整' })]);
        const record = await world.settled(said);
        expect(record).toMatchObject({ outcome: 'answered', messages: [{ role: 'user' }, { role: 'assistant', text: '完整' }] });
        expect([shown(world.dedupe, name), world.asked(`answer, ${name}`).length]).toEqual([['完整'], 2]);
      }
    },
  );

  proves(['TU-8', 'B037'], 'reasoning inside plain text is neither sent nor kept as text', async () => {
    const said = await world.say(generic('dedupe', 'think'), 'think', [
      { text: '<think>我们来计划一下，一步一步地</think>答案' },
    ]);
    const record = await world.settled(said);
    expect(shown(world.dedupe, 'think')).toEqual(['答案']);
    expect(record.messages.at(-1)).toMatchObject({ text: '答案' });
    expect(JSON.stringify(record)).not.toContain('计划');
  });
});
