import { afterAll, beforeAll, expect } from 'vitest';
import type { TurnRecord } from '#contracts';
import type { AgentId, SessionKey, TenantId } from '#kernel';
import { apiSessionKey } from '#routing';
import { ChatWorld } from './chat-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const ADMIN = 'test-admin-token-0000';
/** Promised is 1 s; a guard that a busy machine keeps, and a command that waits for its turn does not. */
const ANSWERED_MS = 5000;
/** About a minute. */
const LONG_ANSWER = { text: 'word '.repeat(7200), chunkDelayMs: 20 };
const SLOW_ANSWER = { text: 'slowly', delayMs: 700 };

let world: ChatWorld;
beforeAll(async () => {
  // Half a day from now, so that no test runs over it.
  const dailyAtHour = (new Date().getUTCHours() + 12) % 24;
  world = await ChatWorld.start({ runners: 2, config: { session: { reset: { dailyAtHour, idleMinutes: 60 } } } });
  await world.fleet.start('ingress', 2);
}, 90_000);
afterAll(() => world?.close());

const keyOf = (name: string): SessionKey => apiSessionKey('default' as TenantId, 'main' as AgentId, name);

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** @param ingress which of the two */
async function post(session: string, message: string, { ingress = 0, invoke = false } = {}): Promise<Answer> {
  const url = world.fleet.of('ingress')[ingress]?.url;
  const response = await fetch(`${url}/api/sessions/${session}/${invoke ? 'invoke' : 'messages'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const transcript = (name: string): Promise<TurnRecord[]> => world.platform.sessions.transcript(keyOf(name), 100);
const askedIn = ({ messages }: TurnRecord): string => messages.find(({ role }) => role === 'user')?.text ?? '';

/** What was asked, in order, once `last` has its end. */
async function askedUpTo(name: string, last: string): Promise<string[]> {
  const asked = async (): Promise<string[]> => (await transcript(name)).map(askedIn);
  return waitUntil(`${last} has its end`, asked, (all) => all.at(-1) === last);
}

async function archived(name: string, epoch: number): Promise<string[]> {
  const { work, keyspace } = world.platform;
  const records = await work.lrange(keyspace.archivePrefix(keyOf(name)) + epoch, 0, -1);
  return records.map((json) => askedIn(JSON.parse(json) as TurnRecord));
}

/** What the model was shown while it answered `text`. */
const shownWith = (text: string): string => JSON.stringify(world.asked(text).at(-1)?.body.messages);

/** The runner that takes this up dies at a named point; another one goes on. */
async function killedAt<T>(point: string, ask: () => Promise<T>): Promise<T> {
  const runners = world.fleet.of('runner');
  await Promise.all(runners.map((runner) => world.fleet.arm(runner, { at: point, act: 'kill' })));
  const answer = ask();
  await Promise.race(runners.map(({ exited }) => exited));
  expect(world.fleet.hits().get(point)).toHaveLength(1);
  await Promise.all(world.fleet.of('runner').map((runner) => world.fleet.arm(runner, { at: '', act: 'none' })));
  await world.fleet.start('runner', 2 - world.fleet.of('runner').length);
  return answer;
}

proves(
  ['B007', 'RT-4', 'QU-6'],
  'while a long turn runs /status answers through another ingress, other sessions are served, and what waits keeps its order',
  async () => {
    world.script('think long', [LONG_ANSWER]);
    await post('busy', 'think long');
    await world.askedTimes('think long', 1);
    const waiting = Array.from({ length: 12 }, (_, n) => `follow-up ${n}`);
    for (const text of waiting) await post('busy', text);
    const at = performance.now();
    const { status, body } = await post('busy', '/status', { ingress: 1 });
    expect(performance.now() - at).toBeLessThan(ANSWERED_MS);
    expect(status).toBe(200);
    expect(body).toMatchObject({ waiting: 12, queueMode: 'followup', model: 'openai/stage' });
    expect(body.reply).toMatch(/^Queue: followup, 12 waiting, the oldest for \d+ s; a new message is number 14$/m);
    expect(body.reply).toMatch(/^Running: m\S+~0 for \d+ s$/m);
    await post('busy', 'one more', { ingress: 1 });
    expect((await post('other', 'meanwhile', { invoke: true })).body).toMatchObject({ text: 'done meanwhile' });
    expect((await transcript('busy')).length).toBe(0);
    const url = world.fleet.of('ingress')[1]?.url;
    await fetch(`${url}/api/sessions/${keyOf('busy')}/turns/current`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    expect(await askedUpTo('busy', 'one more')).toEqual(['think long', ...waiting, 'one more']);
  },
);

proves(
  ['RT-3', 'RT-4'],
  '/new in a burst: what came before it is answered in the old epoch, what came after in the new one',
  async () => {
    world.script('burst 1', [SLOW_ANSWER]);
    for (const text of ['burst 1', 'burst 2', '/new', 'burst 3', 'burst 4']) await post('burst', text);
    expect(await askedUpTo('burst', 'burst 4')).toEqual(['/new', 'burst 3', 'burst 4']);
    expect(await archived('burst', 0)).toEqual(['burst 1', 'burst 2']);
    expect(shownWith('burst 2')).toContain('burst 1');
    expect(shownWith('burst 4')).toContain('burst 3');
    expect(shownWith('burst 3')).not.toMatch(/burst [12]|\/new|New conversation/);
    expect((await transcript('burst'))[0]).toMatchObject({ outcome: 'command' });
    const { body } = await post('burst', '/status');
    expect(body.reply).toMatch(/^Conversation 2, since /m);
  },
);

proves(
  'RT-4',
  '/model counts from the next message on, in its place; what is no model changes nothing; /new takes it back',
  async () => {
    world.script('model 1', [SLOW_ANSWER]);
    for (const text of ['model 1', '/model openai/other', 'model 2']) await post('model', text);
    await askedUpTo('model', 'model 2');
    expect(['model 1', 'model 2'].map((text) => world.asked(text)[0]?.body.model)).toEqual(['stage', 'other']);
    const wrong = await post('model', '/model nobody/knows', { invoke: true });
    expect(wrong).toMatchObject({ status: 200, body: { outcome: 'command' } });
    expect(wrong.body.text).toMatch(/no model provider "nobody".*Nothing has changed/);
    expect((await post('model', '/model', { invoke: true })).body.text).toBe('Model: openai/other (default openai/stage)');
    await post('model', '/new', { invoke: true });
    await post('model', 'model 3', { invoke: true });
    expect(world.asked('model 3')[0]?.body.model).toBe('stage');
  },
);

proves(
  'RT-4',
  '/think reaches the model from the next message on, no higher than it can; a model without levels says so',
  async () => {
    expect((await post('think', '/think high', { invoke: true })).body.text).toMatch(/^openai\/stage has no thinking levels/);
    await post('think', '/model openai/gpt-5-mini', { invoke: true });
    const { body } = await post('think', '/think xhigh', { invoke: true });
    expect(body.text).toBe('Thinking: xhigh (high with openai/gpt-5-mini), from the next message on.');
    await post('think', 'deeply', { invoke: true });
    expect(world.asked('deeply')[0]?.body).toMatchObject({ model: 'gpt-5-mini', reasoning_effort: 'high' });
    await post('think', '/think default', { invoke: true });
    await post('think', 'lightly', { invoke: true });
    expect(world.asked('lightly')[0]?.body).not.toHaveProperty('reasoning_effort');
  },
);

proves(['RT-4'], '/send off keeps answers from leaving and in the transcript; commands are still answered', async () => {
  await post('mute', '/send off');
  expect((await post('mute', 'quiet please', { invoke: true })).body).toMatchObject({ outcome: 'answered', messages: [] });
  expect((await transcript('mute')).at(-1)?.messages.at(-1)).toMatchObject({ text: 'done quiet please' });
  expect((await post('mute', '/model', { invoke: true })).body.messages).toMatchObject([{ deliveryMode: 'notice' }]);
  await post('mute', '/send on');
  expect((await post('mute', 'loud again', { invoke: true })).body.messages).toMatchObject([{ content: 'done loud again' }]);
});

proves(
  ['RT-3', 'RT-4', 'G4'],
  'a runner killed at any point of /new: one new epoch, one answer, nothing in the wrong one',
  async () => {
    for (const point of ['runner.taken', 'runner.command-done', 'runner.after-commit']) {
      const name = point.replace('.', '-');
      await post(name, `${point} before`, { invoke: true });
      const { body } = await killedAt(point, () => post(name, '/new', { invoke: true }));
      expect(body, point).toMatchObject({ outcome: 'command', text: 'New conversation with openai/stage.' });
      await post(name, `${point} after`, { invoke: true });
      expect(await askedUpTo(name, `${point} after`)).toEqual(['/new', `${point} after`]);
      expect(await archived(name, 0)).toEqual([`${point} before`]);
      expect((await world.platform.sessions.state(keyOf(name))).epoch).toBe(1);
    }
  },
);

proves(
  ['RT-4', 'CX-2', 'G4'],
  '/compact makes a summary about its focus, once though its runner is killed, and the next turn reads it',
  async () => {
    const summaries = () => world.model.calls.filter(({ body }) => JSON.stringify(body.messages[0]).includes('You summarise'));
    for (let n = 1; n <= 5; n += 1) await post('compact', `compact ${n}`, { invoke: true });
    const records = await transcript('compact');
    const { body } = await killedAt('runner.stepped', () => post('compact', '/compact the budget', { invoke: true }));
    expect(body).toMatchObject({ outcome: 'command', text: '2 turns are a summary now. The last 3 stay as they are.' });
    // A summary without headings is asked for once more; the runner that goes on asks for none.
    expect(summaries()).toHaveLength(2);
    expect(JSON.stringify(summaries()[0]?.body.messages)).toContain('Above all keep what concerns: the budget');
    expect((await transcript('compact')).at(-1)?.compaction?.upTo).toBe(records[1]?.turn);
    await post('compact', 'compact 6', { invoke: true });
    const asked = JSON.stringify(world.asked('compact 6')[0]?.body.messages);
    expect(asked).not.toContain('compact 2');
    expect(asked).toContain('compact 3');
  },
);

const HOUR_MS = 3_600_000;

/** As if the conversation had begun and ended so long ago. */
async function age(name: string, hours: { began: number; last: number }): Promise<void> {
  const { work, keyspace } = world.platform;
  const now = Date.now();
  await work.hset(keyspace.head(keyOf(name)), { began: now - hours.began * HOUR_MS, last: now - hours.last * HOUR_MS });
}

proves(
  'RT-3',
  'a conversation of yesterday, or one that idled, begins anew with the next message; any other goes on',
  async () => {
    for (const { name, began, last, isOver } of [
      { name: 'yesterday', began: 30, last: 0.1, isOver: true },
      { name: 'idle', began: 3, last: 2, isOver: true },
      { name: 'lively', began: 3, last: 0.9, isOver: false },
    ]) {
      await post(name, `${name} before`, { invoke: true });
      await age(name, { began, last });
      await post(name, `${name} after`, { invoke: true });
      expect(await archived(name, 0)).toEqual(isOver ? [`${name} before`] : []);
      expect(shownWith(`${name} after`).includes(`${name} before`)).toBe(!isOver);
      await post(name, `${name} later`, { invoke: true });
      expect(shownWith(`${name} later`)).toContain(`${name} after`);
    }
  },
);

proves(['RT-3', 'G4'], 'a runner killed while a conversation begins anew: it does so once', async () => {
  await post('twice', 'twice before', { invoke: true });
  await age('twice', { began: 30, last: 29 });
  const { body } = await killedAt('runner.epoch-begun', () => post('twice', 'twice after', { invoke: true }));
  expect(body).toMatchObject({ text: 'done twice after' });
  expect(await archived('twice', 0)).toEqual(['twice before']);
  expect(await askedUpTo('twice', 'twice after')).toEqual(['twice after']);
  expect((await world.platform.sessions.state(keyOf('twice'))).epoch).toBe(1);
});
