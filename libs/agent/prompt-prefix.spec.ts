import { expect, test } from 'vitest';
import type { ChatMessage, UserMessage } from '#contracts';
import type { PastTurn } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

const said = (text: string): UserMessage => ({ role: 'user', text });

test('MO-5 every request of two turns with tools begins with the bytes of the one before it', async () => {
  const world = new TurnWorld((step) =>
    step < 3
      ? { text: `step ${step}`, calls: [{ name: 'read', id: `c${step}`, arguments: '{"b":1,"a":2}' }, { name: 'list' }] }
      : { text: 'done' },
  );
  world.addTool('read', 'pure').addTool('list', 'pure').addTool('exec', 'once');
  const cacheKey = 'of the session';
  const first = [said('go'), said('and quickly')];
  const { messages } = await world.run({ turn: 't~1', user: first, cacheKey });
  world.journal.length = 0;
  const history: PastTurn[] = [{ turn: 't~1', messages: JSON.parse(JSON.stringify([...first, ...messages])) as ChatMessage[] }];
  await world.run({ turn: 't~2', user: [said('again')], history, cacheKey });

  expect(world.requests.map((request) => request.messages.length)).toEqual([2, 5, 8, 10, 13, 16]);
  const written = world.requests.map(({ messages: asked, ...rest }) => ({
    rest: JSON.stringify(rest),
    messages: asked.map((message) => JSON.stringify(message)),
  }));
  for (const [i, before] of written.slice(0, -1).entries()) {
    const after = written[i + 1] ?? expect.fail();
    expect(after.rest).toBe(before.rest);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
  }
  expect(world.requests[0]).toMatchObject({ cacheKey, tools: [{ name: 'read' }, { name: 'list' }, { name: 'exec' }] });
});
