import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { QueueMode } from '#contracts';
import { ChatWorld, generic, shown, waits, WEBHOOK_SECRET, type Said } from './chat-world.js';
import type { Member } from './harness/fleet.js';
import { sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const TOKEN = 'test-admin-token-0000';
const QUIET_MS = 700;
const CAP = 5;

let world: ChatWorld;
let ingress: Member;
beforeAll(async () => {
  const queue = { cap: CAP, debounceMsByChannel: { generic: QUIET_MS } };
  world = await ChatWorld.start({ runners: 2, config: { session: { queue } } });
  [ingress] = (await world.fleet.start('ingress', 1)) as [Member];
}, 90_000);
afterAll(() => world?.close());

async function mode(conversation: string, queueMode: QueueMode, channel = 'generic', account = 'dedupe'): Promise<void> {
  await world.platform.sessions.changeSettings(sessionOf(conversation, channel, account), { queueMode });
}

/** Until this many calls of a running turn have begun. */
async function started({ session }: Said): Promise<void> {
  const journal = world.platform.keyspace.journal(session);
  await waitUntil(
    'the tool runs',
    () => world.redis.cli('lrange', journal, '0', '-1'),
    (text) => text.includes('"started"'),
  );
}

async function send(name: string, message: string, key: string) {
  const response = await fetch(`${ingress.url}/api/sessions/${name}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ message }),
  });
  return { status: response.status, ...((await response.json()) as { type?: string; messageId?: string }) };
}

/** As a chat platform posts it. */
async function post(conversation: string, id: string, text: string, attachments: object[] = []): Promise<void> {
  const message = {
    type: 'message',
    id,
    conversation: { id: conversation, type: 'direct' },
    sender: { id: 'user' },
    text,
    attachments,
  };
  const body = JSON.stringify(message);
  const signature = `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-signature-256': signature };
  const response = await fetch(`${ingress.url}/webhooks/generic/plain`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
}

proves(
  ['QU-2', 'TU-1', 'G3'],
  'steer: it joins the turn behind the running tool; the runner dies there, and the resumed turn answers both, once',
  async () => {
    await mode('steer', 'steer');
    for (const runner of world.fleet.of('runner')) await world.fleet.arm(runner, { at: 'turn.joined', act: 'kill' });
    const target = generic('dedupe', 'steer');
    const first = await world.say(target, 'first', [
      { toolCalls: [...(waits(1).toolCalls ?? []), { name: 'once_tool', arguments: { value: 'x' } }] },
    ]);
    await started(first);
    const second = await world.say(target, 'second');
    await waitUntil(
      'a runner died',
      () => world.fleet.of('runner').length,
      (left) => left === 1,
    );
    for (const runner of world.fleet.of('runner')) await world.fleet.arm(runner, { at: '', act: 'none' });
    const record = await world.settled(second);
    expect(record).toMatchObject({ turn: first.turn, outcome: 'answered' });
    expect(record.inputs.map(({ id }) => id)).toEqual([first.id, second.id]);
    const texts = record.messages.map(({ role, text }) => (role === 'tool' ? text.slice(0, 7) : text));
    expect(texts.slice(-3)).toEqual(['Skipped', expect.stringContaining('second'), expect.stringMatching(/^done/)]);
    expect(world.judge.executions).toHaveLength(0);
    expect(await world.platform.sessions.transcript(second.session, 9)).toHaveLength(1);
    expect(shown(world.dedupe, 'steer').filter((text) => text.startsWith('done'))).toHaveLength(1);
    await world.fleet.start('runner');
  },
);

proves(['QU-2', 'QU-3'], 'interrupt: what ran is kept and marked, what came since is one turn, and runs next', async () => {
  await mode('cut', 'interrupt', 'webchat', 'default');
  world.script('talks', [{ text: 'a word and another one '.repeat(400), chunkDelayMs: 50 }]);
  await send('cut', 'talks', 'k1');
  const asked = await world.askedTimes('talks', 1);
  await send('cut', 'instead', 'k2');
  await asked.ended;
  const session = sessionOf('cut', 'webchat', 'default');
  const records = await waitUntil(
    'both ended',
    () => world.platform.sessions.transcript(session, 9),
    ({ length }) => length === 2,
  );
  expect(records.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['cancelled', 'interrupted'],
    ['answered', undefined],
  ]);
});

proves('QU-2', 'reject: 409 while a turn runs, nothing stored; the same request again is taken', async () => {
  await mode('no', 'reject', 'webchat', 'default');
  world.script('busy', [waits(1)]);
  await send('no', 'busy', 'k1');
  await world.askedTimes('busy', 1);
  expect(await send('no', 'too early', 'k2')).toMatchObject({ status: 409, type: 'urn:turnpike:problem:session-busy' });
  const session = sessionOf('no', 'webchat', 'default');
  await waitUntil(
    'it ended',
    () => world.platform.sessions.transcript(session, 9),
    ({ length }) => length === 1,
  );
  expect(await send('no', 'too early', 'k2')).toMatchObject({ status: 202 });
});

proves(
  ['QU-2', 'B060', 'G3', 'B036'],
  'collect over the cap: the oldest are dropped with one notice, the rest is one turn that knows',
  async () => {
    await mode('many', 'collect');
    const target = generic('dedupe', 'many');
    const first = await world.say(target, 'runs', [waits(1)]);
    await started(first);
    const said: Said[] = [];
    for (let n = 1; n <= CAP + 3; n++) said.push(await world.say(target, `m${n}`));
    await world.ended(first);
    const last = await world.settled(said.at(-1) as Said);
    const dropped = await world.ended(said[0] as Said);
    expect(dropped).toMatchObject({ outcome: 'dropped', reason: 'overflow' });
    expect(dropped.inputs.map(({ id }) => id)).toEqual(said.slice(0, 3).map(({ id }) => id));
    expect(last.inputs.map(({ id }) => id)).toEqual(said.slice(3).map(({ id }) => id));
    expect(JSON.stringify(world.asked(`m${CAP + 3}`)[0]?.body)).toContain('3 messages were dropped');
    const notices = shown(world.dedupe, 'many').filter((text) => text.startsWith('More messages'));
    expect(notices).toHaveLength(1);
  },
);

proves(
  ['QU-2', 'B055'],
  'two bare pictures and their words within a window are one turn with both pictures in order',
  async () => {
    const image = (name: string) => [{ url: `https://files.test/${name}.png`, type: 'image', name }];
    await post('burst', 'p1', '', image('p1'));
    await post('burst', 'p2', '', image('p2'));
    await post('burst', 'p3', 'compare these');
    const session = sessionOf('burst', 'generic', 'plain');
    const [record] = await waitUntil(
      'it ended',
      () => world.platform.sessions.transcript(session, 9),
      ({ length }) => length > 0,
    );
    expect(record?.inputs).toHaveLength(3);
    const texts = record?.messages.filter(({ role }) => role === 'user').map(({ text }) => text) ?? [];
    expect(texts).toEqual([
      expect.stringContaining('p1'),
      expect.stringContaining('p2'),
      expect.stringContaining('compare these'),
    ]);
  },
);
