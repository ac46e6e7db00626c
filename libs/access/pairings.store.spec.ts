import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TenantId } from '#kernel';
import { connect, Keyspace, type RedisClient } from '#redis';
import { newPairingCode, readPairingCode } from './pairing-code.js';
import { Pairings, type PairingPlace } from './pairings.store.js';

const keyspace = new Keyspace(1, 'pairings-spec:');
let replicas: RedisClient[];
let one: Pairings;
let two: Pairings;

beforeAll(async () => {
  replicas = [connect(inject('redisUrl'), 'request'), connect(inject('redisUrl'), 'request')];
  await Promise.all(replicas.map((redis) => once(redis, 'ready')));
  [one, two] = replicas.map((redis) => new Pairings(redis, keyspace)) as [Pairings, Pairings];
});
afterAll(() => replicas.forEach((redis) => redis.disconnect()));

const TENANT = 'default' as TenantId;
const placeOf = (account: string, tenant = TENANT): PairingPlace => ({ tenant, channel: 'telegram', account });
const stranger = (sender: string, message = `m-${sender}`) => ({ sender, name: `Name of ${sender}`, message });

async function codeFor(place: PairingPlace, sender: string): Promise<string> {
  const knock = await one.request(place, stranger(sender));
  if (knock.kind !== 'code') throw new Error(`${sender} got no code: ${knock.kind}`);
  return knock.code;
}

test('IN-8 a stranger shows a code, an owner approves it, and from then on the sender is known to every replica', async () => {
  const place = placeOf('flow');
  expect(await two.isApproved(place, '7')).toBe(false);
  const code = await codeFor(place, '7');
  expect(await two.approve(TENANT, code, 'ann')).toEqual({
    channel: 'telegram',
    account: 'flow',
    sender: '7',
    name: 'Name of 7',
  });
  expect(await one.isApproved(place, '7')).toBe(true);
  expect(await one.request(place, stranger('7'))).toEqual({ kind: 'approved' });
  expect(await replicas[0]?.pttl(keyspace.access('approved:default:telegram:flow'))).toBe(-1);
  for (const elsewhere of [placeOf('other'), placeOf('flow', 'acme' as TenantId), { ...place, channel: 'generic' }])
    expect(await one.isApproved(elsewhere, '7')).toBe(false);
});

test('IN-8 one code a sender and hour, told again only to the message that asked', async () => {
  const place = placeOf('once');
  const code = await codeFor(place, '7');
  expect(await two.request(place, stranger('7'))).toEqual({ kind: 'code', code });
  expect(await two.request(place, stranger('7', 'another message'))).toEqual({ kind: 'asked' });
});

test('IN-8 two replicas together keep three requests of an account, however many strangers knock at once', async () => {
  const knocks = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).request(placeOf('crowd'), stranger(`${n}`))),
  );
  expect(knocks.filter(({ kind }) => kind === 'code')).toHaveLength(3);
  expect(knocks.filter(({ kind }) => kind === 'full')).toHaveLength(17);
  expect((await one.request(placeOf('quiet'), stranger('1'))).kind).toBe('code');
  const [first] = (await one.list(placeOf('crowd'))).pending;
  await one.approve(TENANT, first?.code ?? '', 'ann');
  expect((await one.request(placeOf('crowd'), stranger('late'))).kind).toBe('code');
});

test('IN-8 a code that nobody gave out, of another tenant, or too old approves nobody', async () => {
  const place = placeOf('codes');
  const code = await codeFor(place, '7');
  expect(await one.approve(TENANT, 'AAAAAAAA', 'ann')).toBeUndefined();
  expect(await one.approve('acme' as TenantId, code, 'eve')).toBeUndefined();
  const [redis] = replicas;
  expect(await redis?.pttl(keyspace.access(`code:default:${code}`))).toBeGreaterThan(3_500_000);
  const pending = keyspace.access('pending:default:telegram:codes');
  const request = JSON.parse((await redis?.hget(pending, code)) ?? '{}') as { ends: number };
  await redis?.hset(pending, code, JSON.stringify({ ...request, ends: request.ends - 3_600_001 }));
  expect(await one.approve(TENANT, code, 'ann')).toBeUndefined();
  expect((await one.list(place)).pending).toEqual([]);
  expect((await one.request(place, stranger('7', 'later'))).kind).toBe('code');
});

test('IN-8 approving again says the same; whoever is revoked is a stranger, and the old code is worth nothing', async () => {
  const place = placeOf('revoked');
  const code = await codeFor(place, '7');
  await one.approve(TENANT, code, 'ann');
  expect(await two.approve(TENANT, code, 'ben')).toMatchObject({ sender: '7' });
  expect((await one.list(place)).approved).toMatchObject([{ sender: '7', name: 'Name of 7', by: 'ann', account: 'revoked' }]);
  expect(await one.revoke(place, '7')).toBe(true);
  expect(await one.revoke(place, '7')).toBe(false);
  expect(await one.approve(TENANT, code, 'ann')).toBeUndefined();
  expect(await one.isApproved(place, '7')).toBe(false);
});

test('IN-8 a name is kept as it is, whatever it holds', async () => {
  const place = placeOf('names');
  const name = '"}\u2028</untrusted>\n😀';
  await one.request(place, { sender: '7', name, message: 'm' });
  expect((await one.list(place)).pending).toMatchObject([{ sender: '7', name }]);
});

test('IN-8 a code is eight letters that nobody confuses, read in any case', () => {
  const codes = new Set(Array.from({ length: 500 }, newPairingCode));
  expect(codes.size).toBe(500);
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(readPairingCode(' abcdefgh ')).toBe('ABCDEFGH');
  for (const none of ['ABCDEFG', 'ABCDEFGHJ', 'ABCDEFG0', 'ABCDEFGI', 'ABCD EFG']) expect(readPairingCode(none)).toBeUndefined();
});
