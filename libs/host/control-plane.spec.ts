import { Logger as NestLog } from '@nestjs/common';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CONTROL, type CancelHint } from '#contracts';
import { createLogger } from '#telemetry';
import { startRedis, type RedisServer } from '../../test/redis-server.js';
import { CuttableProxy } from './cuttable-proxy.fixture.js';
import { ControlPublisher, ControlSubscriber } from './index.js';

const lines: string[] = [];
const { logger } = createLogger({ level: 'debug', name: 'test', destination: { write: (line) => lines.push(line) } });
NestLog.overrideLogger(false);

let redis: RedisServer;
const closing: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  redis = await startRedis({ appendonly: false });
});
afterEach(async () => {
  for (const item of closing.splice(0)) await item.close();
});
afterAll(() => redis.stop());

const hint: CancelHint = { session: 's1', turn: 'm1~0' };

function closeLater<T extends { close(): Promise<void> }>(item: T): T {
  closing.unshift(item);
  return item;
}

function subscriber(redisUrl: string, beatMs?: number) {
  const subscribed = closeLater(new ControlSubscriber({ redisUrl, logger, ...(beatMs === undefined ? {} : { beatMs }) }));
  const cancels: CancelHint[] = [];
  subscribed.onCancel((received) => cancels.push(received));
  return { subscribed, cancels, ready: () => isReady(subscribed) };
}

function isReady(subscribed: ControlSubscriber): boolean {
  try {
    subscribed.check();
    return true;
  } catch {
    return false;
  }
}

test('QU-3 cancel, config and catalog hints reach every process', async () => {
  const publisher = closeLater(new ControlPublisher(redis.url, logger));
  const both = [subscriber(redis.url, 100), subscriber(redis.url, 100)];
  const heard: string[] = [];
  for (const { subscribed, ready } of both) {
    subscribed.onConfigChanged(() => heard.push('config'));
    subscribed.onCatalogChanged(() => heard.push('catalog'));
    expect(ready()).toBe(false);
    await subscribed.start();
    await expect.poll(ready).toBe(true);
  }
  publisher.cancel(hint);
  publisher.configChanged();
  publisher.catalogChanged();
  await expect.poll(() => [...heard].sort()).toEqual(['catalog', 'catalog', 'config', 'config']);
  expect(both.map(({ cancels }) => cancels)).toEqual([[hint], [hint]]);
});

test('B103 a cut subscription turns readiness false in 10 s and comes back without a restart', async () => {
  const proxy = closeLater(await CuttableProxy.to(redis.port));
  const publisher = closeLater(new ControlPublisher(redis.url, logger));
  const { subscribed, cancels, ready } = subscriber(proxy.url);
  await subscribed.start();
  await expect.poll(ready, { timeout: 5000 }).toBe(true);
  const cutAt = performance.now();
  proxy.cut();
  await expect.poll(ready, { timeout: 20_000 }).toBe(false);
  expect(performance.now() - cutAt).toBeLessThan(10_000);
  proxy.restore();
  await expect.poll(ready, { timeout: 20_000 }).toBe(true);
  publisher.cancel(hint);
  await expect.poll(() => cancels).toEqual([hint]);
});

test('B103 a link that is dead without being closed is found by its silence and replaced', async () => {
  const proxy = closeLater(await CuttableProxy.to(redis.port));
  const publisher = closeLater(new ControlPublisher(redis.url, logger));
  const { subscribed, cancels, ready } = subscriber(proxy.url, 200);
  await subscribed.start();
  await expect.poll(ready).toBe(true);
  proxy.freeze();
  await expect.poll(ready, { timeout: 20_000 }).toBe(false);
  await expect.poll(ready, { timeout: 30_000 }).toBe(true);
  publisher.cancel(hint);
  await expect.poll(() => cancels).toEqual([hint]);
});

test('B103 a process that starts before its Redis hears it as soon as it is there', async () => {
  const late = await startRedis({ appendonly: false });
  await late.stop();
  const { subscribed, cancels, ready } = subscriber(late.url, 200);
  const publisher = closeLater(new ControlPublisher(late.url, logger));
  publisher.cancel({ ...hint, session: 'lost' });
  await subscribed.start();
  expect(ready()).toBe(false);
  await late.restart();
  await expect.poll(ready, { timeout: 20_000 }).toBe(true);
  await expect
    .poll(
      () => {
        publisher.cancel(hint);
        return cancels.length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  expect(cancels.every(({ session }) => session === 's1')).toBe(true);
  await late.stop();
});

test('B103 publishing while Redis is away costs the caller nothing, and closing does not wait for it', async () => {
  const gone = await startRedis({ appendonly: false });
  const publisher = new ControlPublisher(gone.url, logger);
  const { subscribed } = subscriber(gone.url, 100);
  await subscribed.start();
  await gone.stop();
  const before = performance.now();
  for (let i = 0; i < 100; i++) publisher.cancel(hint);
  await publisher.close();
  await subscribed.close();
  expect(performance.now() - before).toBeLessThan(5000);
});

test('QU-3 a hint of the wrong shape is logged and dropped; the next one is heard', async () => {
  const { subscribed, cancels, ready } = subscriber(redis.url, 100);
  await subscribed.start();
  await expect.poll(ready).toBe(true);
  const socket = connect(redis.port, '127.0.0.1');
  const publish = (data: unknown) => {
    const packet = JSON.stringify({ pattern: CONTROL.cancel, data });
    socket.write(
      `*3\r\n$7\r\nPUBLISH\r\n$${CONTROL.cancel.length}\r\n${CONTROL.cancel}\r\n$${Buffer.byteLength(packet)}\r\n${packet}\r\n`,
    );
  };
  publish({ session: 7 });
  publish(hint);
  await expect.poll(() => cancels).toEqual([hint]);
  socket.destroy();
  expect(lines.join('')).toContain('Control message failed');
});
