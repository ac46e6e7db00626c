import { expect, onTestFinished, test } from 'vitest';
import type { Target } from '#contracts';
import { channelContract, rowOf, sendTo } from '../../../test/contract-kit.js';
import { startWebhookReceiver } from '../../../test/fakes/webhook-receiver.js';
import { fixturesOf } from '../../../test/fixtures-of.js';
import { webhookAccount } from './webhook-account.js';

const secret = 'generic-test-secret';
const target: Target = { channel: 'generic', account: 'acct1', conversation: 'conv-1' };
const NOW = Date.parse('2025-12-01T00:00:00Z');
const clock = { now: () => NOW, monotonic: () => performance.now() };

async function start({ dedupe = true, key = secret } = {}) {
  const receiver = await startWebhookReceiver({ dedupe, secret: key });
  const account = webhookAccount(
    { account: 'acct1', secret: key, outboundUrl: `${receiver.url}/replies`, maxTextLength: 5_000 },
    { clock },
  );
  return { receiver, account };
}

async function started(options?: Parameters<typeof start>[0]) {
  const made = await start(options);
  onTestFinished(() => made.receiver.close());
  return made;
}

test('OUT-2 a receiver that formats nothing gets plain text, edits too', async () => {
  const options = { account: 'acct1', secret, plainText: true, actions: ['edit'] as const };
  const { outbound } = webhookAccount(options, { clock });
  const row = rowOf(target, '# Report\n\n- **one** [here](https://a.b)\n- `two`');
  const plain = 'Report\n\n• one here (https://a.b)\n• two';
  expect(outbound.render(row).map(({ text }) => text)).toEqual([plain]);
  const edit = { ...row, action: { do: 'edit' as const, message: '1' } };
  expect(outbound.render(edit).map(({ text }) => text)).toEqual([plain]);
});

channelContract('generic', { webhook: true, http: true }, async () => {
  const { receiver, account } = await start();
  // One without an id is a new message each time (webhook-inbound.spec.ts).
  const fixtures = fixturesOf('generic').filter(
    ({ name, expected }) => expected.channel === 'generic' && name !== 'message_without_id',
  );
  const [fixture] = fixtures;
  if (!fixture) throw new Error('no fixture');
  const answer = (status: number, retryAfter?: string) => ({
    kind: 'answer' as const,
    status,
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });
  return {
    account,
    target,
    inbound: {
      genuine: fixture,
      proof: 'x-signature-256',
      signsBody: true,
      fixtures,
      unknown: { ...fixture, body: Buffer.from('{"type":"typing"}') },
      skew: 'no time is signed',
    },
    wire: {
      fail: receiver.fail,
      arrived: () => receiver.attempts.length,
      answers: [
        { says: '429 with seconds', fault: answer(429, '7'), outcome: 'retry', floorMs: 7000 },
        { says: '503 with a date', fault: answer(503, 'Mon, 01 Dec 2025 00:00:30 GMT'), outcome: 'retry', floorMs: 30_000 },
        { says: '408', fault: answer(408), outcome: 'retry' },
        { says: '429 with nonsense', fault: answer(429, 'soon'), outcome: 'retry' },
        ...[500, 502, 504].map((status) => ({ says: String(status), fault: answer(status), outcome: 'retry' as const })),
        ...[302, 400, 401, 403, 404, 410].map((status) => ({
          says: String(status),
          fault: answer(status),
          outcome: 'refused' as const,
        })),
        { says: '204', fault: answer(204), outcome: 'sent' },
      ],
    },
    close: receiver.close,
  };
});

test.each([secret, `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`])(
  'OUT-1 the post says who, where and which, and its signature verifies (%s)',
  async (key) => {
    const { receiver, account } = await started({ key });
    const row = { ...rowOf({ ...target, thread: 't', replyTo: 'evt-0001' }, '**hi** 😀'), mode: 'immediate' as const, n: 3 };
    const [chunk] = account.outbound.render(row);
    const context = { idempotencyKey: `${row.id}/0`, row, timeoutMs: 5000, possibleDuplicate: true };
    const outcome = chunk && (await account.outbound.send(row.target, chunk, context, new AbortController().signal));
    expect(outcome).toEqual({ kind: 'sent', platformId: `r-${row.id}/0` });
    expect(receiver.attempts).toMatchObject([{ key: `${row.id}/0`, signature: 'valid', answered: 200 }]);
    expect(receiver.messages).toEqual([
      {
        id: `${row.id}/0`,
        turnId: row.turn,
        sequenceInTurn: 3,
        deliveryMode: 'immediate',
        conversation: 'conv-1',
        thread: 't',
        replyTo: 'evt-0001',
        text: '**hi** 😀',
        possibleDuplicate: true,
      },
    ]);
  },
);

test('OUT-1 a send repeated after a reset is one message to a receiver that dedupes, and the id falls back to the key', async () => {
  const { receiver, account } = await started();
  receiver.fail({ kind: 'reset' }, { kind: 'answer', status: 200, body: 'thanks' });
  expect((await sendTo(account, target)).kind).toBe('unknown');
  expect(await sendTo(account, target)).toEqual({ kind: 'sent', platformId: 'm0000~0-1/0' });
  expect((await sendTo(account, target)).kind).toBe('sent');
  expect(receiver.attempts.map(({ answered }) => answered)).toEqual(['reset', 200, 200]);
  expect(new Set(receiver.attempts.map(({ key }) => key)).size).toBe(1);
  expect(receiver.messages).toHaveLength(1);
});

test('OUT-1 an account without outboundUrl refuses each send and says why', async () => {
  const account = webhookAccount({ account: 'acct1', secret });
  expect(await sendTo(account, target)).toEqual({ kind: 'refused', reason: 'account "acct1" has no outboundUrl' });
});

test('OUT-2 the capabilities are what the account was configured with', () => {
  const said = { immediateSend: false, batch: true, dedupe: false, media: ['image' as const], maxTextLength: 100 };
  const { outbound, description } = webhookAccount({ account: 'acct1', secret, ...said, actions: ['edit'] });
  const actions = { edit: true, delete: false, react: false };
  expect(outbound.capabilities).toEqual({ ...description.capabilities, ...said, ...actions });
});

test('OUT-2 a long message has its media at its beginning and its buttons at its end', async () => {
  const { receiver, account } = await started();
  const media = [{ type: 'image' as const, url: 'https://a.example/cat.png', caption: 'a cat' }];
  const buttons = [{ text: 'Yes', data: 'y' }];
  const row = { ...rowOf(target, 'word '.repeat(1500)), media, buttons };
  const chunks = account.outbound.render(row);
  for (const [index, chunk] of chunks.entries())
    await account.outbound.send(
      target,
      chunk,
      { idempotencyKey: `k/${index}`, row, timeoutMs: 5000 },
      new AbortController().signal,
    );
  expect(receiver.messages.map((message) => [message.media, message.buttons])).toEqual([
    [media, undefined],
    [undefined, buttons],
  ]);
});

test('TO-1 an action is posted as it is, with the text that takes the place of the old', async () => {
  const { receiver, account } = await started();
  for (const action of [
    { do: 'edit' as const, message: 'm1' },
    { do: 'react' as const, message: 'm1', emoji: null },
  ]) {
    const row = { ...rowOf(target, action.do === 'edit' ? 'new' : ''), action };
    const [chunk, ...more] = account.outbound.render(row);
    expect(more).toEqual([]);
    if (chunk)
      await account.outbound.send(
        target,
        chunk,
        { idempotencyKey: action.do, row, timeoutMs: 5000 },
        new AbortController().signal,
      );
  }
  expect(receiver.messages).toMatchObject([
    { action: { do: 'edit', message: 'm1' }, text: 'new' },
    { action: { do: 'react', message: 'm1', emoji: null }, text: '' },
  ]);
});

test('OUT-6 an attachment is fetched from where its sender says, if that is of the internet', async () => {
  const { outbound } = webhookAccount({ account: 'acct1', secret });
  const get = (ref: string) =>
    outbound.download?.({ type: 'image', ref }, { maxBytes: 10, timeoutMs: 1000 }, new AbortController().signal);
  await expect(get('https://169.254.169.254/latest')).rejects.toThrow('no address of the internet');
});
