import { expect, test } from 'vitest';
import type { ChannelAccount, InboundChannel, WebhookRequest } from '#channels';
import { inboundEventSchema } from '#contracts';
import { InvalidInputError } from '#kernel';

export interface ContractInbound {
  genuine: WebhookRequest;
  /** The header that proves it. */
  proof: string;
  signsBody: boolean;
  /** All that the platform sends, genuine too. */
  fixtures: readonly WebhookRequest[];
  /** Verified, of a kind that the channel does not know. */
  unknown: WebhookRequest;
  skew: Skew | 'no time is signed';
}

/** The account on a host whose clock is `ms` ahead, and by how much it may be ahead or behind. */
interface Skew {
  aheadMs: number;
  behindMs: number;
  account(ms: number): InboundChannel;
}

interface InboundSubject {
  account: ChannelAccount;
  inbound?: ContractInbound;
}

/** What comes in by webhook is proven, normalised, and the same however often it comes. */
export function inboundContract(subject: () => Promise<InboundSubject>): void {
  verifyContract(subject);

  test('IN-2 IN-4 what the platform sends is normalised, and sent again is the same events by the same ids', async () => {
    const { account, inbound } = await halves(subject);
    expect(account.fixtures).not.toEqual([]);
    for (const request of account.fixtures) {
      expect(inbound.verify(request)).toEqual({ ok: true });
      if (inbound.handshake?.(request) !== undefined) continue;
      const events = inbound.parse(request).map((event) => inboundEventSchema.parse(event));
      expect(inbound.parse(request)).toEqual(events);
      const ids = events.map(({ conversation, kind, eventId, edit }) => JSON.stringify([conversation, kind, eventId, edit]));
      expect(new Set(ids).size).toBe(ids.length);
      expect(events.every(({ eventId }) => eventId !== '')).toBe(true);
    }
  });

  test("IN-2 what it does not know is nothing, and what is not the platform's at all is invalid input", async () => {
    const { account, inbound } = await halves(subject);
    expect(inbound.parse(account.unknown)).toEqual([]);
    for (const body of ['', '[', 'null', '7', '"text"'])
      expect(() => inbound.parse({ ...account.genuine, body: Buffer.from(body) }), body).toThrow(InvalidInputError);
  });

  test('IN-1 a request is taken as long as its time is about now, and no longer', async () => {
    const { account } = await halves(subject);
    if (account.skew === 'no time is signed') return;
    const { aheadMs, behindMs, account: at } = account.skew;
    const taken = [0, aheadMs - 2_000, 2_000 - behindMs, aheadMs + 2_000, -behindMs - 2_000].map(
      (ms) => at(ms).verify(account.genuine).ok,
    );
    expect(taken).toEqual([true, true, true, false, false]);
  });
}

async function halves(subject: () => Promise<InboundSubject>): Promise<{ account: ContractInbound; inbound: InboundChannel }> {
  const { account, inbound: example } = await subject();
  if (!account.inbound || !example) throw new Error('The subject has no inbound half');
  return { account: example, inbound: account.inbound };
}

function verifyContract(subject: () => Promise<InboundSubject>): void {
  test('IN-1 verify takes the genuine request and refuses each one-byte change of it, and its absence', async () => {
    const { account, inbound: example } = await subject();
    if (!account.inbound || !example) throw new Error('The subject has no inbound half');
    const { genuine, proof, signsBody } = example;
    const value = genuine.headers[proof] ?? '';
    const ok = (request: Partial<WebhookRequest>) => account.inbound?.verify({ ...genuine, ...request }).ok;
    expect(ok({})).toBe(true);
    expect(ok({ headers: { ...genuine.headers, [proof]: undefined } })).toBe(false);
    expect(ok({ headers: { ...genuine.headers, [proof]: '' } })).toBe(false);
    for (const flipped of oneByteChanges(Buffer.from(value))) {
      expect(ok({ headers: { ...genuine.headers, [proof]: flipped.toString('latin1') } })).toBe(false);
    }
    for (const flipped of signsBody ? oneByteChanges(genuine.body) : []) expect(ok({ body: flipped })).toBe(false);
  });
}

function oneByteChanges(bytes: Buffer): Buffer[] {
  return [...bytes.keys()].flatMap((index) =>
    [0x01, 0x20].map((bit) => {
      const changed = Buffer.from(bytes);
      changed[index] = (bytes[index] ?? 0) ^ bit;
      return changed;
    }),
  );
}
