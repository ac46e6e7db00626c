import { expect, test } from 'vitest';
import type { ChatMessage } from '#contracts';
import { Killed, TurnWorld } from './turn-world.fixture.js';

/** What a conversation looks like, in one line. */
function shape(messages: readonly ChatMessage[]): string {
  return messages
    .map((message) => {
      if (message.role === 'tool') return `${message.name}:${message.text.startsWith('Skipped') ? 'skipped' : message.text}`;
      if (message.role === 'user') return `user:${message.text}`;
      return `model:${message.text || message.toolCalls.map(({ name }) => name).join('+')}`;
    })
    .join(' | ');
}

/** Two tools one after the other; then done. The model of the second question repeats what it was told. */
function sequential(arrives: (world: TurnWorld, tool: string) => void): TurnWorld {
  const world: TurnWorld = new TurnWorld((_, { messages }) => {
    const asked = messages.filter(({ role }) => role === 'assistant').length;
    return asked === 0 ? { calls: [{ name: 'one' }, { name: 'two' }] } : { text: 'done' };
  });
  for (const name of ['one', 'two'])
    world.addTool(name, 'idempotent', async () => {
      arrives(world, name);
      return { text: `${name} done`, isError: false };
    });
  return world;
}

test('QU-2 a message that comes while a tool runs: the tool finishes, the next never begins, and the model reads it', async () => {
  const world = sequential((here, tool) => tool === 'one' && here.mail.push('stop that'));
  const { messages } = await world.run();
  expect(shape(messages)).toBe('model:one+two | one:one done | two:skipped | user:stop that | model:done');
  expect(world.timeline).toEqual(['ask', 'run one', 'ask']);
  expect(shape(world.requests[1]?.messages ?? [])).toBe('user:go | model:one+two | one:one done | two:skipped | user:stop that');
});

test('QU-2 a message that comes behind the last tool is read with its result; one in the final answer is not taken', async () => {
  const world = sequential((here, tool) => tool === 'two' && here.mail.push('and this'));
  const { messages } = await world.run();
  expect(shape(messages)).toBe('model:one+two | one:one done | two:two done | user:and this | model:done');

  const late = new TurnWorld(() => {
    late.mail.push('too late');
    return { text: 'done' };
  });
  expect(shape((await late.run()).messages)).toBe('model:done');
  expect(late.mail).toEqual(['too late']);
});

test('QU-2 before a launch: none of the calls of the answer runs, side by side or not', async () => {
  const world: TurnWorld = new TurnWorld((_, { messages }) => {
    if (messages.some(({ role }) => role === 'assistant')) return { text: 'done' };
    world.mail.push('wait');
    return { calls: [{ name: 'read' }, { name: 'read' }] };
  });
  world.addTool('read', 'pure');
  expect(shape((await world.run()).messages)).toBe('model:read+read | read:skipped | read:skipped | user:wait | model:done');
  expect(world.ran).toEqual([]);
});

test('QU-2 TU-1 killed anywhere, the conversation is the same, and a message joins once', async () => {
  const undisturbed = sequential((here, tool) => tool === 'one' && here.joined.size === 0 && here.mail.push('stop that'));
  const wanted = shape((await undisturbed.run()).messages);
  let kills = 0;
  for (; ; kills++) {
    const world = sequential((here, tool) => {
      if (tool === 'one' && here.joined.size === 0 && here.mail.length === 0) here.mail.push('stop that');
    });
    const at = kills + 1;
    world.killAt = at;
    const killed = await world.run().then(
      () => false,
      (error: unknown) => error instanceof Killed,
    );
    if (!killed) break;
    world.killAt = Number.POSITIVE_INFINITY;
    // Until it has joined, a new attempt hears of it one boundary later.
    const joined = world.journal.some(({ k }) => k === 'joined');
    const seen = shape((await world.run()).messages);
    expect(joined ? [wanted] : [wanted, wanted.replace('skipped', 'two done')], `killed at ${at}`).toContain(seen);
    expect(world.journal.filter(({ k }) => k === 'joined')).toHaveLength(1);
  }
  expect(kills).toBeGreaterThan(12);
});
