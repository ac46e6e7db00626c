import { Transformer } from '@napi-rs/image';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Envelope, Media } from '#contracts';
import type { Platform } from '#host';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { startTelegramServer, type TelegramServer } from './fakes/telegram-server.js';
import { Fleet } from './harness/fleet.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { TELEGRAM_BOT } from './ingress-world.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const GUARD = { timeout: 60_000 };
const png = Buffer.from(await Transformer.fromRgbaPixels(new Uint8Array(64), 4, 4).png()).toString('base64');
const PICTURE: Media = { type: 'image', ref: `data:image/png;base64,${png}` };
/** Nobody may look there. */
const INSIDE: Media = { type: 'image', ref: 'https://127.0.0.1/secret.png', name: 'secret.png' };

let redis: RedisServer;
let judge: ModelServer;
let telegram: TelegramServer;
let fleet: Fleet;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedis();
  judge = await startModelServer();
  telegram = await startTelegramServer();
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.baseUrl,
    toolUrl: '',
    config: {
      defaultAgent: 'main',
      agents: { main: { model: 'house/llava' }, blind: { model: 'house/plain' } },
      channels: {
        telegram: { accounts: { bot: { ...TELEGRAM_BOT, apiRoot: telegram.url } } },
      },
      models: { providers: { house: { api: 'openai-chat', baseUrl: judge.baseUrl } } },
    },
  });
  platform = await openPlatform(fleet.configPath);
  await fleet.start('runner', 1);
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), telegram?.close(), redis?.stop()]);
});

/** @returns what the model was shown of each message of its conversation */
async function turn(conversation: string, nth: number, more: Partial<Envelope>): Promise<unknown[]> {
  const text = `hello ${conversation} ${nth}`;
  await platform.sessions.accept({ ...envelopeOf(targetOf(conversation), nth, text), ...more }, ACCEPT);
  await waitUntil(
    `${conversation} is answered ${nth} times`,
    () => platform.sessions.transcript(sessionOf(conversation), 9),
    (records) => records.length === nth,
  );
  const call = judge.calls.findLast(({ body }) => JSON.stringify(body.messages.at(-1)).includes(text));
  return call?.body.messages.filter(({ role }) => role === 'user').map(({ content }) => content) ?? [];
}

proves(
  ['MO-4'],
  'an image that somebody sends is shown to a model that reads images; of what cannot be fetched the model is told; bytes are not stored',
  async () => {
    const [shown] = await turn('photos', 1, { media: [PICTURE, INSIDE] });
    expect(shown).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/^hello photos 1\n\[image\]\n.*\n\[Image 2 is not shown: it could not be fetched/),
      },
      { type: 'image_url', image_url: { url: PICTURE.ref } },
    ]);
    const { channel, account } = targetOf('photos');
    const placeOf = { channel, account };
    const [record] = await platform.sessions.transcript(sessionOf('photos'), 1);
    expect(JSON.stringify(record)).not.toContain(png);
    expect(record?.messages[0]).toMatchObject({ images: [{ ref: 'data:' }, { ...placeOf, ref: INSIDE.ref }] });
    const [before, after] = await turn('photos', 2, { media: [] });
    expect(before).toMatch(/\[Image 1 is not shown: it could not be fetched.*\n\[Image 2 is not shown/);
    expect(after).toBe('hello photos 2');
  },
  GUARD,
);

proves(
  ['MO-4', 'OUT-6'],
  'a photo of a chat is fetched through its channel once, made smaller, and still shown in the next turn',
  async () => {
    const noise = Uint8Array.from({ length: 2400 * 800 * 4 }, (_, at) => (Math.imul(at, 2_654_435_761) >>> 9) & 255);
    telegram.files.set('PHOTO', Buffer.from(await Transformer.fromRgbaPixels(noise, 2400, 800).jpeg(90)));
    const place = { target: { channel: 'telegram', account: 'bot', conversation: '5' } };
    const [shown] = await turn('chat', 1, { ...place, media: [{ type: 'image', ref: 'PHOTO' }] });
    expect(shown).toEqual([
      { type: 'text', text: 'hello chat 1\n[image]' },
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,/) as string } },
    ]);
    const { url = '' } = (shown as { image_url?: { url?: string } }[])[1]?.image_url ?? {};
    const small = Buffer.from(url.replace(/^.*,/, ''), 'base64');
    expect(await new Transformer(small).metadata()).toMatchObject({ width: 1568, height: 523 });
    expect(await turn('chat', 2, { ...place, media: [] })).toEqual([shown, 'hello chat 2']);
    expect(telegram.calls.filter(({ method }) => method === 'getFile')).toHaveLength(1);
  },
  GUARD,
);

proves(
  ['MO-4'],
  'a model that reads no images is told that there was one',
  async () => {
    const [told] = await turn('words', 1, { agent: 'blind' as Envelope['agent'], media: [PICTURE] });
    expect(told).toBe('hello words 1\n[image]\n[Image 1 is not shown: this model reads no images.]');
  },
  GUARD,
);
