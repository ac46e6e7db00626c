import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Kind } from './harness/fleet.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const TOKEN = 'test-admin-token-0000';
const NOWHERE = 'http://127.0.0.1:1';

let redis: RedisServer;
let fleet: Fleet;
let receiver: WebhookReceiver;
let platform: Platform;

beforeAll(async () => {
  [redis, receiver] = await Promise.all([startRedis(), startWebhookReceiver({ dedupe: true })]);
  const late = { secret: 'a-test-webhook-secret', outboundUrl: receiver.url, immediateSend: false };
  const config = { agents: { main: { model: 'scripted/demo' } }, channels: { webhook: { accounts: { late } } } };
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: NOWHERE, toolUrl: NOWHERE, config });
  platform = await openPlatform(fleet.configPath);
  await Promise.all([fleet.start('ingress'), fleet.start('runner'), fleet.start('dispatcher')]);
});
afterAll(async () => {
  await fleet?.close();
  await Promise.all([platform?.close(), receiver?.close()]);
  await redis?.stop();
});

interface Answer {
  turnId: string;
  outcome: string;
  messages: { content: string; deliveredAt: number; deliveryMode: string; sequenceInTurn: number }[];
}

/** A curl command as seed 003 writes it, to this fleet, with the two headers it leaves out (T17). */
async function curl(session: string, data: string): Promise<Answer> {
  const [ingress] = fleet.of('ingress');
  const url = `${ingress?.url}/api/sessions/${session}/invoke`;
  const headers = ['-H', `Authorization: Bearer ${TOKEN}`, '-H', 'Content-Type: application/json'];
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-X', 'POST', url, ...headers, '-d', data]);
  return JSON.parse(stdout) as Answer;
}

type LogLine = Record<string, unknown>;

const logged = (kind: Kind, turnId: string, msg: string): LogLine[] =>
  fleet.of(kind).flatMap(({ lines }) => lines.filter((line) => line.turnId === turnId && line.msg === msg));

/** The line `Turn ended`, which is written a moment after the answer. */
async function endOf(turnId: string): Promise<LogLine | undefined> {
  const [line] = await waitUntil(
    'the end of the turn is logged',
    () => logged('runner', turnId, 'Turn ended'),
    ({ length }) => length > 0,
  );
  return line;
}

/** Four deliveries, each at a time of its own. */
function expectRising(times: number[]): void {
  expect(times).toHaveLength(4);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
}

proves(
  ['IN-5', 'T17', 'B001'],
  'seed 003, test 1: three searches with progress after each are three deliveries at three times, before the turn ends',
  async () => {
    const { turnId, outcome, messages } = await curl('test-001', '{"message": "执行3次搜索并在每次后发送进度"}');
    expect(outcome).toBe('answered');
    expect(messages.map(({ content, deliveryMode, sequenceInTurn }) => [content, deliveryMode, sequenceInTurn])).toEqual([
      ['进度：第 1/3 次搜索完成', 'immediate', 1],
      ['进度：第 2/3 次搜索完成', 'immediate', 2],
      ['进度：第 3/3 次搜索完成', 'immediate', 3],
      [expect.stringContaining('全部完成'), 'final', 4],
    ]);
    expectRising(messages.map(({ deliveredAt }) => deliveredAt));
    expect(await endOf(turnId)).toMatchObject({ immediateCount: 3, batchedCount: 0 });
    const delivered = (): LogLine[] => logged('dispatcher', turnId, 'Message delivered');
    const lines = await waitUntil('four deliveries are logged', delivered, ({ length }) => length === 4);
    expectRising(lines.map(({ deliveredAt }) => Number(deliveredAt)));
  },
);

proves(
  ['IN-5', 'T17', 'TO-1'],
  'seed 003, test 2: batched messages stay back until the end of the turn, immediate ones do not',
  async () => {
    const { turnId, messages } = await curl('test-002', '{"message": "使用两种消息模式处理"}');
    expect(messages.map(({ deliveryMode }) => deliveryMode)).toEqual(['immediate', 'immediate', 'batched', 'batched', 'final']);
    const at = (mode: string) =>
      messages.filter(({ deliveryMode }) => deliveryMode === mode).map(({ deliveredAt }) => deliveredAt);
    expect(Math.min(...at('batched'))).toBeGreaterThan(Math.max(...at('immediate')));
    expect(await endOf(turnId)).toMatchObject({ immediateCount: 2, batchedCount: 2 });
  },
);

proves(
  ['T17', 'T1', 'TO-1'],
  'seed 003, test 3: a channel that cannot send at once gets everything at the end, and the log says it fell back',
  async () => {
    const envelope = envelopeOf({ channel: 'generic', account: 'late', conversation: 'c3' }, 1, '执行2次搜索');
    await platform.sessions.accept(envelope, ACCEPT);
    const taken = await receiver.nextMessages('c3', 3);
    expect(taken.map(({ text }) => text)).toEqual([
      '进度：第 1/2 次搜索完成',
      '进度：第 2/2 次搜索完成',
      expect.stringContaining('全部完成'),
    ]);
    const turnId = `${envelope.id}~0`;
    expect(await endOf(turnId)).toMatchObject({ immediateCount: 0, batchedCount: 2 });
    const fellBack = logged('runner', turnId, 'Message fell back to batch');
    expect(fellBack.map((line) => [line.fellBackToBatch, line.deliveryMode])).toEqual([
      [true, 'batched'],
      [true, 'batched'],
    ]);
  },
);
