import { expect, test } from 'vitest';
import { ChannelRegistry, webhookAccount } from '#channels';
import { ChannelImages } from './channel-images.js';

const LIMITS = { maxBytes: 9, timeoutMs: 1000 };
const never = new AbortController().signal;
const base = webhookAccount({
  account: 'main',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  outboundUrl: 'https://chat.example/out',
});
const asked: unknown[] = [];
const registry = new ChannelRegistry([
  {
    ...base,
    channel: 'chat',
    outbound: {
      ...base.outbound,
      render: (row) => base.outbound.render(row),
      send: (...send) => base.outbound.send(...send),
      download: async (...download) => {
        asked.push(download);
        return { bytes: Buffer.from('the file') };
      },
    },
  },
]);
const images = new ChannelImages(registry);
const load = (image: { channel?: string; ref: string; mime?: string }) =>
  images.load({ channel: 'chat', account: 'main', ...image }, LIMITS, never);

test('MO-4 OUT-6 the channel fetches what was sent there, within the limits', async () => {
  expect(String(await load({ ref: 'file-1', mime: 'image/png' }))).toBe('the file');
  expect(asked).toEqual([[{ type: 'image', ref: 'file-1', mime: 'image/png' }, LIMITS, never]]);
});

test('MO-4 OUT-6 what no channel fetches is fetched from its public address, and from no other', async () => {
  for (const ref of ['https://127.0.0.1/a.png', 'https://169.254.169.254/latest', 'http://1.1.1.1/a.png', 'file:///etc/passwd'])
    await expect(load({ channel: 'api', ref })).rejects.toMatchObject({ code: 'media_refused' });
});

test('MO-4 an image that the message brought along is there, unless it is too large', async () => {
  expect(String(await load({ ref: 'data:image/png;base64,aGVsbG8=' }))).toBe('hello');
  expect(String(await load({ ref: 'DATA:image/png,he%6Clo' }))).toBe('hello');
  await expect(load({ ref: 'data:' })).rejects.toMatchObject({ code: 'media_refused' });
  await expect(load({ ref: `data:image/png;base64,${'a'.repeat(40)}` })).rejects.toMatchObject({ code: 'media_refused' });
});
