import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import type { OutboxRow, Target } from '#contracts';
import type { Fault } from './fakes/scripted-server.js';
import { DeliveryWorld, webhookTo } from './delivery-world.js';
import { waitUntil } from './harness/wait-until.js';
import { startIngressWorld, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';

const REFUSED: Fault = { kind: 'answer', status: 400 };
const BUSY: Fault = { kind: 'answer', status: 503 };
const TRIES = 3;

let world: DeliveryWorld;
let ingresses: readonly [IngressWorld, IngressWorld];
beforeAll(async () => {
  world = await DeliveryWorld.open({ config: { lanes: { deliveries: { maxTries: TRIES, requestTimeoutMs: 600 } } } });
  ingresses = await Promise.all([startIngressWorld(world.redis.url), startIngressWorld(world.redis.url)]);
  await world.fleet.start('dispatcher');
});
afterAll(async () => {
  await Promise.all(ingresses.map((ingress) => ingress.close()));
  await world.close();
});

interface Letter {
  id: string;
  state: string;
  reason: string;
  conversation: string;
  text: string;
  at: number;
}

const ask = (path: string, { token = TOKEN.ann, method = 'GET', at = 0 } = {}): Promise<Answer> =>
  (ingresses[at % 2] ?? ingresses[0]).call(method, `/api/dead-letters${path}`, { token });
const replay = (id: string, at = 0): Promise<Answer> => ask(`/${id}/replay`, { method: 'POST', at });
const lettersTo = async (conversation: string): Promise<Letter[]> => {
  const { body } = await ask('?limit=200');
  return (body.deadLetters as Letter[]).filter((letter) => letter.conversation === conversation);
};
const dead = async (conversation: string): Promise<Letter> => {
  const [letter] = await waitUntil(
    'it is given up',
    () => lettersTo(conversation),
    ({ length }) => length === 1,
  );
  return letter ?? expect.fail();
};
const attemptsTo = ({ account, conversation }: Target) =>
  (account === 'plain' ? world.plain : world.dedupe).attempts.filter(({ message }) => message.conversation === conversation);
const shownAt = (target: Target): string[] =>
  attemptsTo(target)
    .filter(({ answered }) => answered === 200)
    .map(({ message }) => message.text);
const nothingIsBusy = () =>
  waitUntil(
    'nothing is on its way',
    () => world.platform.busy.count('deliveries'),
    (count) => count === 0,
  );

proves(
  ['B064', 'OUT-1'],
  'what a platform refuses is tried once, listed with its reason and counted; what is behind it is delivered',
  async () => {
    const target = webhookTo('dedupe', 'b064');
    const behind = Array.from({ length: 20 }, (_, n) => `Y${n + 1}`);
    const before = await countedDead();
    world.dedupe.fail(REFUSED);
    await world.send(target, 'X', ...behind);
    await nothingIsBusy();
    expect(attemptsTo(target).filter(({ message }) => message.text === 'X')).toHaveLength(1);
    expect(shownAt(target)).toEqual(behind);
    expect(await lettersTo('b064')).toMatchObject([{ text: 'X', state: 'dead', reason: 'the receiver answered 400' }]);
    expect((await countedDead()) - before).toBe(1);
  },
);

proves(['B064', 'OUT-1'], `a platform that never takes it is asked ${TRIES} times, and no more`, async () => {
  const target = webhookTo('dedupe', 'tries');
  world.dedupe.fail(BUSY, BUSY, BUSY);
  await world.send(target, 'again and again', 'behind');
  await nothingIsBusy();
  expect(attemptsTo(target).map(({ answered, message }) => [message.text, answered])).toEqual([
    ...Array.from({ length: TRIES }, () => ['again and again', 503]),
    ['behind', 200],
  ]);
  expect((await dead('tries')).reason).toBe(`given up after ${TRIES} tries: the receiver answered 503`);
});

describe('sent again by hand', () => {
  const given = async (target: Target, text = 'once more'): Promise<{ letter: Letter; row: OutboxRow }> => {
    (target.account === 'plain' ? world.plain : world.dedupe).fail(REFUSED);
    const [row] = await world.send(target, text);
    return { letter: await dead(target.conversation), row: row ?? expect.fail() };
  };

  proves(
    ['OUT-1', 'G5'],
    'however often and wherever it is asked for it is sent once, and every call says the same',
    async () => {
      const target = webhookTo('plain', 'often');
      const { letter } = await given(target);
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => replay(letter.id, n)));
      const [first] = answers;
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(first?.body).toMatchObject({ id: letter.id, replayedAs: `${letter.id}~r1` });
      await nothingIsBusy();
      expect((await replay(letter.id, 1)).body).toEqual(first?.body);
      expect((await ask(`/${letter.id}`)).body).toEqual(first?.body);
      expect(shownAt(target)).toEqual(['once more']);
      expect(await lettersTo('often')).toEqual([]);
    },
  );

  proves(['OUT-1', 'G5'], 'it goes behind what waits in its conversation, and dies again under a name of its own', async () => {
    const target = webhookTo('plain', 'twice');
    const { letter } = await given(target);
    world.plain.fail(REFUSED);
    await replay(letter.id);
    const second = await waitUntil(
      'it died again',
      () => lettersTo('twice'),
      ([one]) => one?.id !== undefined,
    );
    expect(second).toMatchObject([{ id: `${letter.id}~r1`, text: 'once more' }]);
    expect((await replay(`${letter.id}~r1`)).body).toMatchObject({ replayedAs: `${letter.id}~r2` });
    await nothingIsBusy();
    expect(shownAt(target)).toEqual(['once more']);
    expect(new Set(attemptsTo(target).map(({ key }) => key)).size).toBe(1);
  });

  proves(['OUT-1', 'B065'], 'of a message in parts, those that had not arrived are sent, as they were cut', async () => {
    const target = webhookTo('plain', 'parts');
    const text = ['a', 'b', 'c'].map((letter) => letter.repeat(90)).join(' ');
    world.plain.fail({ kind: 'slow', ms: 0 }, REFUSED);
    await world.send(target, text);
    const letter = await dead('parts');
    await replay(letter.id);
    await nothingIsBusy();
    expect(shownAt(target).map((part) => part.trim())).toEqual(text.split(' '));
  });

  proves(['OUT-1', 'G5'], 'what may have arrived says so when it is sent again', async () => {
    const target = webhookTo('plain', 'doubt');
    world.plain.fail({ kind: 'reset' });
    await world.send(target, 'did it arrive?');
    const letter = await dead('doubt');
    expect(letter.state).toBe('unknown');
    await replay(letter.id);
    await nothingIsBusy();
    expect(attemptsTo(target).map(({ message }) => message.possibleDuplicate)).toEqual([false, true]);
  });

  for (const at of ['replay.before-exec', 'replay.after-exec'])
    proves(['OUT-1', 'G3'], `an ingress killed at ${at}: asked again elsewhere, it is sent once`, async () => {
      const target = webhookTo('plain', at);
      const { letter } = await given(target);
      const [victim] = await world.fleet.start('ingress');
      if (!victim) return expect.fail();
      await world.fleet.arm(victim, { at, act: 'kill' });
      const headers = { authorization: 'Bearer test-admin-token-0000' };
      const url = `${victim.url}/api/dead-letters/${letter.id}/replay`;
      await expect(fetch(url, { method: 'POST', headers })).rejects.toThrow();
      await victim.exited;
      expect((await replay(letter.id)).body).toMatchObject({ replayedAs: `${letter.id}~r1` });
      await nothingIsBusy();
      expect(shownAt(target)).toEqual(['once more']);
    });

  proves(['OUT-1', 'G5'], 'a dispatcher killed while it gives up: what is tried once more is no letter meanwhile', async () => {
    const target = webhookTo('dedupe', 'killed');
    const [victim] = world.fleet.of('dispatcher');
    if (!victim) return expect.fail();
    world.dedupe.fail(REFUSED);
    await world.fleet.arm(victim, { at: 'dispatcher.given-up', act: 'kill' });
    await world.send(target, 'refused, then taken');
    await victim.exited;
    const letter = await dead('killed');
    expect((await replay(letter.id)).status).toBe(409);
    await world.fleet.start('dispatcher');
    await nothingIsBusy();
    expect(shownAt(target)).toEqual(['refused, then taken']);
    expect(await lettersTo('killed')).toEqual([]);
    expect((await replay(letter.id)).status).toBe(404);
  });
});

describe('who may', () => {
  proves(
    ['TN-1', 'IN-6', 'OUT-1'],
    'a tenant sees and sends its own; a token of one session does neither; an admin names the tenant',
    async () => {
      const [row] = world.rowsTo({ channel: 'generic', account: 'gone', conversation: 'of acme' }, ['secret of acme'], {
        tenant: 'acme',
      });
      await world.relay(row ? [row] : []);
      const id = row?.id ?? '';
      const acme = { token: TOKEN.eve };
      await waitUntil(
        'it is given up',
        () => ask(`/${id}`, acme),
        ({ status }) => status === 200,
      );
      expect((await ask('', acme)).body).toMatchObject({ tenant: 'acme', deadLetters: [{ id, text: 'secret of acme' }] });
      expect(JSON.stringify((await ask('?limit=200')).body)).not.toContain('acme');
      expect((await ask(`/${id}`)).status).toBe(404);
      expect((await replay(id)).status).toBe(404);
      expect((await ask('?tenant=acme')).status).toBe(403);
      expect((await ask('', { token: TOKEN.desk })).status).toBe(403);
      expect((await ask('', { token: '' })).status).toBe(401);
      expect((await ask(`/${id}?tenant=acme`, { token: TOKEN.admin })).body).toMatchObject({ id });
      expect((await ask(`/${id}`, acme)).status).toBe(200);
    },
  );

  proves(
    'OUT-1',
    'pages end where the next one begins, newest first, and what is older than it may be is forgotten',
    async () => {
      const { deadLetters } = world.platform;
      const rows = world.rowsTo({ channel: 'generic', account: 'gone', conversation: 'pages' }, ['1', '2', '3', '4', '5'], {
        tenant: 'acme',
      });
      const old = 1_000_000;
      const letterAt = (row: OutboxRow, at: number) =>
        deadLetters.add({ row, reason: 'x', state: 'dead', progress: 'q', platformIds: [], at });
      for (const [index, row] of rows.entries()) await letterAt(row, old + Math.floor(index / 2));
      const pages: string[][] = [];
      for (let before: number | null = old + 10; before !== null;) {
        const { body }: Answer = await ask(`?limit=1&before=${before}`, { token: TOKEN.eve });
        pages.push((body.deadLetters as Letter[]).map(({ text }) => text).sort());
        before = body.next as number | null;
      }
      expect(pages).toEqual([['5'], ['3', '4'], ['1', '2'], []]);
      const [fresh] = world.rowsTo({ channel: 'generic', account: 'gone', conversation: 'fresh' }, ['fresh'], { tenant: 'acme' });
      if (fresh) await letterAt(fresh, old + 40 * 86_400_000);
      expect((await ask(`?before=${old + 10}`, { token: TOKEN.eve })).body.deadLetters).toEqual([]);
    },
  );
});

async function countedDead(): Promise<number> {
  const [dispatcher] = world.fleet.of('dispatcher');
  const text = dispatcher ? await new OpsOf(dispatcher).metrics() : '';
  return Number(/^turnpike_dead_letters_total\{queue="deliveries",reason="dead".*?\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

proves(
  ['OP-3', 'OUT-1', 'B064'],
  'on the board a dead letter failed; an operator sends it again by "retry", once, and a viewer does not',
  async () => {
    const target = webhookTo('dedupe', 'board');
    world.dedupe.fail(REFUSED);
    await world.send(target, 'X');
    const { id } = await dead('board');
    const [ingress] = ingresses;
    const board = (method: string, path: string, token: string) => ingress.call(method, `/queues/api/queues${path}`, { token });
    const listed = z.object({
      queues: z.array(
        z.object({
          name: z.string(),
          counts: z.record(z.string(), z.number()),
          jobs: z.array(z.looseObject({ id: z.string(), failedReason: z.string().optional() })),
        }),
      ),
    });
    const { body } = await board('GET', '?activeQueue=dead-deliveries&status=failed&page=1&jobsPerPage=50', TOKEN.viewer);
    const letters = listed.parse(body).queues.find(({ name }) => name === 'dead-deliveries');
    expect(letters?.jobs.find((job) => job.id === id)?.failedReason).toBe('the receiver answered 400');
    const retry = `/dead-deliveries/${encodeURIComponent(id)}/retry`;
    expect((await board('PUT', retry, TOKEN.viewer)).status).toBe(403);
    expect((await board('PUT', `/dead-deliveries/${encodeURIComponent(id)}/clean`, TOKEN.operator)).status).toBe(405);
    expect(shownAt(target)).toEqual([]);
    const answers = await Promise.all([1, 2, 3].map(() => board('PUT', retry, TOKEN.operator)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 204 && status !== 404)).toEqual([]);
    await nothingIsBusy();
    expect(shownAt(target)).toEqual(['X']);
    expect(await lettersTo('board')).toEqual([]);
  },
);
