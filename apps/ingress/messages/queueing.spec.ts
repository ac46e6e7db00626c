import { expect, test } from 'vitest';
import { loadConfig } from '#config';
import type { Envelope, Media } from '#contracts';
import type { TenantId } from '#kernel';
import { envelopeOf } from '../../../test/harness/mail.js';
import { queueing } from './queueing.js';

const config = (queue: object) => {
  const base = loadConfig({ env: {} });
  return { ...base, session: { ...base.session, queue: { ...base.session.queue, ...queue } } };
};
const image: Media = { type: 'image', ref: 'p1' };
const message = (channel: string, text: string, media: Media[] = [], album?: string): Envelope => {
  const envelope = envelopeOf({ channel, account: 'a', conversation: 'c' }, 1, text);
  return { ...envelope, media, platform: { ...envelope.platform, ...(album !== undefined && { album }) } };
};

test('QU-2 T14 unless told otherwise a message is followed up, chats wait half a second for more, programs do not', () => {
  expect(queueing(message('telegram', 'hi'), config({}))).toMatchObject({
    mode: 'followup',
    quietMs: 500,
    flush: false,
    hardCap: 1000,
  });
  expect(queueing(message('webchat', 'hi'), config({}))).toMatchObject({ quietMs: 0, flush: true });
});

test('QU-2 a channel has its own mode and window, a tenant its own of each', () => {
  const own = config({ mode: 'collect', byChannel: { telegram: 'steer' }, debounceMsByChannel: { telegram: 300, webchat: 50 } });
  expect(queueing(message('telegram', 'hi'), own)).toMatchObject({ mode: 'steer', quietMs: 300 });
  expect(queueing(message('webchat', 'hi'), own)).toMatchObject({ mode: 'collect', quietMs: 50 });
  const acme = { ...own, tenants: { acme: config({ mode: 'reject' }) } };
  const theirs = { ...message('generic', 'hi'), tenant: 'acme' as TenantId };
  expect([queueing(theirs, acme).mode, queueing(message('generic', 'hi'), acme).mode]).toEqual(['reject', 'collect']);
});

test('QU-2 B055 media with words end a window, and a voice note; a bare picture waits for its words', () => {
  expect(queueing(message('telegram', 'look', [image]), config({}))).toMatchObject({ quietMs: 0, flush: true });
  expect(queueing(message('telegram', '', [{ type: 'audio', ref: 'v' }]), config({}))).toMatchObject({ flush: true });
  expect(queueing(message('telegram', '', [image]), config({}))).toMatchObject({ quietMs: 500, flush: false });
});

test('QU-2 B055 the parts of an album wait for each other, also where texts do not, captions or not', () => {
  expect(queueing(message('telegram', 'look', [image], 'g1'), config({ debounceMs: 0 }))).toMatchObject({
    quietMs: 500,
    flush: false,
  });
});
