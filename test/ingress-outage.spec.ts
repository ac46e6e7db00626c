import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished } from 'vitest';
import { GENERIC_SECRET, startIngressWorld, TELEGRAM_SECRET, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisOptions, type RedisServer } from './redis-server.js';

async function start(
  options: RedisOptions = {},
  config: Record<string, object> = {},
): Promise<{ redis: RedisServer; world: IngressWorld }> {
  const redis = await startRedis(options);
  const world = await startIngressWorld(redis.url, config);
  onTestFinished(async () => {
    await world.close();
    await redis.kill();
  });
  return { redis, world };
}

/** One of each kind of request that needs Redis, as number `n`. */
function requests(world: IngressWorld, n: number): Promise<Answer>[] {
  const update = {
    update_id: n,
    message: {
      message_id: n,
      date: 1764547200,
      chat: { id: 1, type: 'private' },
      from: { id: 1, is_bot: false, first_name: 'A' },
      text: 'hi',
    },
  };
  const event = JSON.stringify({
    type: 'message',
    id: `e${n}`,
    conversation: { id: 'c', type: 'direct' },
    sender: { id: 'u' },
    text: 'x',
  });
  const signature = `sha256=${createHmac('sha256', GENERIC_SECRET).update(event).digest('hex')}`;
  return [
    world.call('POST', `/api/sessions/s${n}/messages`, { token: TOKEN.ann, body: { message: 'hi' } }),
    world.call('POST', `/api/sessions/s${n}/messages`, { token: TOKEN.ann, body: { message: '/stop' } }),
    world.call('POST', `/api/sessions/s${n}/invoke`, { token: TOKEN.ann, body: { message: 'hi' } }),
    world.call('POST', `/api/sessions/s${n}/invoke`, {
      token: TOKEN.ann,
      body: { message: 'hi' },
      headers: { accept: 'text/event-stream' },
    }),
    world.call('POST', '/webhooks/telegram/acct1', {
      body: update,
      headers: { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET },
    }),
    world.call('POST', '/webhooks/generic/shop', {
      body: event,
      headers: { 'x-signature-256': signature, 'content-type': 'application/json' },
    }),
    world.call('GET', `/api/sessions/s${n}`, { token: TOKEN.ann }),
    world.call('GET', `/api/sessions/s${n}/messages`, { token: TOKEN.ann }),
    world.call('PUT', '/api/limits', { token: TOKEN.admin, body: { concurrency: 0, turnsPerSecond: 0 } }),
    world.call('GET', '/api/queues/summary', { token: TOKEN.admin }),
    world.call('GET', '/queues/api/queues', { token: TOKEN.admin }),
  ];
}

/** Status, whether it says when to come back, and how long it took. */
async function timed(answers: Promise<Answer>[]): Promise<{ status: number; retryAfter: string | null; ms: number }[]> {
  const began = performance.now();
  return Promise.all(
    answers.map(async (answer) => {
      const { status, headers } = await answer;
      return { status, retryAfter: headers.get('retry-after'), ms: performance.now() - began };
    }),
  );
}

/** Promised are 2 s, of which the waiting takes at most 1.1 here; the rest is for a machine that is busy with other tests. */
const refusedInTime = { status: 503, retryAfter: '1', ms: expect.toSatisfy((ms: number) => ms < 4000) };

describe('Redis away', () => {
  proves(
    ['B050', 'IN-3'],
    'killed: 100 requests of every kind are each answered 503 within 2 s, and new ones work when it is back',
    async () => {
      const { redis, world } = await start();
      await redis.kill();
      const answers = await timed(Array.from({ length: 10 }, (_, n) => requests(world, n)).flat());
      expect(answers).toEqual(answers.map(() => refusedInTime));
      await redis.restart();
      await expect.poll(async () => (await world.call('GET', '/api/sessions/x', { token: TOKEN.ann })).status).toBe(200);
      await expect
        .poll(
          async () =>
            (await world.call('POST', '/api/sessions/back/messages', { token: TOKEN.ann, body: { message: 'hi' } })).status,
        )
        .toBe(202);
    },
  );

  proves('B050', 'silent: it takes the connection and does not answer; the same', async () => {
    const { redis, world } = await start({}, { redis: { commandTimeoutMs: 1000 } });
    process.kill(redis.pid, 'SIGSTOP');
    const answers = await timed(Array.from({ length: 2 }, (_, n) => requests(world, n)).flat());
    process.kill(redis.pid, 'SIGCONT');
    expect(answers).toEqual(answers.map(() => refusedInTime));
    await expect
      .poll(
        async () =>
          (await world.call('POST', '/api/sessions/back/messages', { token: TOKEN.ann, body: { message: 'hi' } })).status,
      )
      .toBe(202);
  });

  proves('B050', 'silent for long: calls do not pile up, the next ones are refused at once', async () => {
    const { redis, world } = await start({}, { redis: { commandTimeoutMs: 500 } });
    const read = () => world.call('GET', '/api/sessions/s', { token: TOKEN.ann });
    process.kill(redis.pid, 'SIGSTOP');
    await Promise.all(Array.from({ length: 520 }, read));
    const [answer] = await timed([read()]);
    process.kill(redis.pid, 'SIGCONT');
    expect(answer).toEqual({ status: 503, retryAfter: '1', ms: expect.toSatisfy((ms: number) => ms < 500) });
    await expect.poll(async () => (await read()).status).toBe(200);
  });

  proves(['B050', 'IN-4'], 'a message whose answer was lost is recognised when it is sent again', async () => {
    const { redis, world } = await start();
    const send = () =>
      world.call('POST', '/api/sessions/s/messages', {
        token: TOKEN.ann,
        body: { message: 'hi' },
        headers: { 'idempotency-key': 'k' },
      });
    await send();
    await redis.stop();
    expect((await send()).status).toBe(503);
    await redis.restart();
    await expect.poll(async () => (await send()).status).toBe(202);
    expect((await send()).body).toMatchObject({ duplicate: true, sequence: 1 });
  });
});

proves(['G1', 'IN-3'], 'nearly full: new messages are refused and counted, stopping and looking still work', async () => {
  const { world } = await start({ maxmemory: '64mb' });
  const { memory, request } = world.parts.platform;
  for (let n = 0; !memory.nearlyFull && n < 64; n++) {
    await request.set(`{ballast}:${n}`, 'x'.repeat(1_000_000));
    await memory.poll();
  }
  const [message, stop, invoke, , telegram, , state] = await timed(requests(world, 1));
  expect([message, invoke, telegram]).toEqual([refusedInTime, refusedInTime, refusedInTime]);
  expect([stop?.status, state?.status]).toEqual([200, 200]);
  expect(await world.parts.metrics.text()).toMatch(/turnpike_shed_total 5/);
  await request.del(...Array.from({ length: 64 }, (_, n) => `{ballast}:${n}`));
  await memory.poll();
  expect((await world.call('POST', '/api/sessions/s/messages', { token: TOKEN.ann, body: { message: 'hi' } })).status).toBe(202);
});
