import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, Subscriptions, type RedisClient } from './index.js';

let redis: RedisClient;
let publisher: RedisClient;
let subscriptions: Subscriptions;
beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'subscriber');
  publisher = connect(inject('redisUrl'), 'request');
  await Promise.all([once(redis, 'ready'), once(publisher, 'ready')]);
  subscriptions = new Subscriptions(redis);
});
afterAll(() => [redis, publisher].forEach((each) => each.disconnect()));

/** What is heard on a channel, one by one. */
async function listenTo(channel: string): Promise<{ next: () => Promise<string>; stop: () => void }> {
  let wake = Promise.withResolvers<string>();
  const stop = await subscriptions.listen(channel, (message) => wake.resolve(message));
  const next = async (): Promise<string> => {
    const heard = await wake.promise;
    wake = Promise.withResolvers();
    return heard;
  };
  return { next, stop };
}

const listeners = async (channel: string): Promise<number> => Number((await publisher.pubsub('NUMSUB', channel))[1]);

test('G7 a channel is subscribed once for all its listeners, and left with the last of them', async () => {
  const [one, two] = [await listenTo('subs-spec:shared'), await listenTo('subs-spec:shared')];
  expect(await listeners('subs-spec:shared')).toBe(1);
  await publisher.publish('subs-spec:shared', 'hello');
  expect(await Promise.all([one.next(), two.next()])).toEqual(['hello', 'hello']);
  one.stop();
  one.stop();
  await publisher.publish('subs-spec:shared', 'again');
  expect(await two.next()).toBe('again');
  two.stop();
  await redis.ping();
  expect(await listeners('subs-spec:shared')).toBe(0);
});

test('B103 a cut connection comes back with its subscriptions, and says so itself meanwhile', async () => {
  const one = await listenTo('subs-spec:cut');
  expect(await subscriptions.alive()).toBe(true);
  const [cut, back] = [once(redis, 'close'), once(redis, 'ready')];
  redis.disconnect(true);
  await cut;
  expect(await subscriptions.alive()).toBe(false);
  await back;
  expect(await subscriptions.alive()).toBe(true);
  while ((await listeners('subs-spec:cut')) === 0) await redis.ping();
  await publisher.publish('subs-spec:cut', 'after');
  expect(await one.next()).toBe('after');
  one.stop();
});
