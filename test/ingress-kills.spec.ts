import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const SECRET = 'a-test-webhook-secret';
const HITS = 3;
const INGRESS = 2;
const GUARD = { timeout: 90_000 };

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
let sent = 0;

beforeAll(async () => {
  redis = await startRedis();
  judge = await Judge.start();
  receiver = await startWebhookReceiver({ dedupe: true });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: { channels: { webhook: { accounts: { dedupe: { secret: SECRET, outboundUrl: receiver.url } } } } },
  });
  await Promise.all([fleet.start('ingress', INGRESS), fleet.start('runner'), fleet.start('dispatcher')]);
  platform = await openPlatform(fleet.configPath);
}, 60_000);

afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

/** As a platform does: again and again, at whichever replica there is, until one says 200. */
async function post(conversation: string, first: number): Promise<void> {
  const body = JSON.stringify({
    id: `${conversation}-1`,
    type: 'message',
    timestamp: new Date().toISOString(),
    conversation: { id: conversation, type: 'direct' },
    sender: { id: 'user', name: 'Alex' },
    text: conversation,
    attachments: [],
  });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-signature-256': signature };
  for (let attempt = first; ; attempt++) {
    const urls = fleet.of('ingress').flatMap(({ url }) => (url ? [url] : []));
    const url = urls[attempt % Math.max(1, urls.length)];
    const answered =
      url && (await fetch(`${url}/webhooks/generic/dedupe`, { method: 'POST', headers, body }).catch(() => undefined));
    if (answered && answered.ok) return;
    await sleep(50);
  }
}

for (const point of ['accept.before-exec', 'accept.after-exec']) {
  proves(
    ['G1', 'G3', 'IN-3', 'IN-4'],
    `an ingress killed at ${point}, while another takes the same message: stored once, answered once`,
    async () => {
      const conversations: string[] = [];
      const replace = setInterval(() => {
        if (fleet.of('ingress').length < INGRESS) fleet.spawn('ingress');
      }, 50);
      while ((fleet.hits().get(point)?.length ?? 0) < HITS) {
        await Promise.all(fleet.of('ingress').map((member) => fleet.arm(member, { at: point, act: 'kill' })));
        const twins = Array.from({ length: 4 }, () => `twin-${++sent}`);
        conversations.push(...twins);
        // Each goes to both replicas in the same instant.
        await Promise.all(twins.flatMap((twin) => [post(twin, 0), post(twin, 1)]));
      }
      clearInterval(replace);
      await Promise.all(fleet.of('ingress').map((member) => fleet.arm(member, { at: '', act: 'none' })));
      const endsOf = async (conversation: string) =>
        (await platform.sessions.transcript(sessionOf(conversation), 9)).flatMap(({ inputs }) => inputs);
      const ends = await waitUntil(
        'all are answered, and nothing is busy',
        async () => ({
          each: (await Promise.all(conversations.map(endsOf))).map(({ length }) => length),
          busy: await platform.busy.count('turns'),
        }),
        ({ each, busy }) => busy === 0 && each.every((count) => count >= 1),
      );
      expect(ends.each).toEqual(conversations.map(() => 1));
      for (const conversation of conversations) {
        expect(receiver.attempts.filter(({ message }) => message.conversation === conversation)).toHaveLength(1);
        expect(judge.questions.filter(({ about }) => about === conversation)).toHaveLength(1);
      }
    },
    GUARD,
  );
}
