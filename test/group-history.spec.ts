import { afterAll, beforeAll, expect } from 'vitest';
import { GroupHistory } from '#access';
import { envelopeSchema, type Envelope } from '#contracts';
import type { Platform } from '#host';
import { messageId } from '#kernel';
import { sessionKey } from '#routing';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let platform: Platform;
let history: GroupHistory;

beforeAll(async () => {
  redis = await startRedis();
  const file = join(mkdtempSync(join(tmpdir(), 'turnpike-history-')), 'turnpike.json5');
  writeFileSync(file, JSON.stringify({ redis: { url: redis.url } }));
  platform = await openPlatform(file);
  history = new GroupHistory(platform.request, platform.keyspace);
});
afterAll(async () => {
  await platform.close();
  await redis.stop();
});

function inGroup(group: string, n: number, over: Partial<Envelope> = {}): Envelope {
  const target = { channel: 'telegram', account: 'one', conversation: group };
  const base = envelopeOf(target, n, `message ${n}`);
  const session = sessionKey({ ...target, tenant: base.tenant, agent: base.agent, chatType: 'group' });
  return { ...base, session, platform: { ...base.platform, chatType: 'group' }, ...over };
}

const idOf = (n: number) =>
  messageId({ channel: 'telegram', account: 'one', conversation: 'g', kind: 'message', platformId: `h${n}` });

async function said(group: string, ...numbers: number[]): Promise<void> {
  const { session } = inGroup(group, 0);
  for (const n of numbers) await history.remember(session, idOf(n), { from: 'Bob', text: `said ${n}` }, 3);
}

/** What each message that waits took along, oldest first. */
async function taken(group: string): Promise<(string[] | undefined)[]> {
  const jobs = await platform.busy.mailboxQueue(inGroup(group, 0).session).getJobs(['waiting'], 0, -1, true);
  return jobs.map(({ data }) => envelopeSchema.parse(data).history?.map(({ text }) => text));
}

proves(['IN-8', 'G3'], 'what was said goes with exactly one message: the next one, however often either comes', async () => {
  await said('once', 1, 2, 1);
  const first = inGroup('once', 10);
  await Promise.all([first, first, inGroup('once', 11)].map((envelope) => platform.sessions.accept(envelope, ACCEPT)));
  await said('once', 2, 1, 3);
  await platform.sessions.accept(first, ACCEPT);
  await platform.sessions.accept(inGroup('once', 12), ACCEPT);
  const all = await taken('once');
  expect(all.flatMap((one) => one ?? [])).toEqual(['said 1', 'said 2', 'said 3']);
  expect(all).toEqual(expect.arrayContaining([['said 1', 'said 2'], undefined, ['said 3']]));
});

proves('IN-8', 'the newest few are kept, for a day; neither an edit nor another topic takes them', async () => {
  await said('few', 1, 2, 3, 4, 5);
  const { session } = inGroup('few', 0);
  expect(await platform.request.pttl(platform.keyspace.groupHistory(session))).toBeGreaterThan(86_000_000);
  expect(await platform.request.pttl(platform.keyspace.groupHistoryIds(session))).toBeGreaterThan(86_000_000);
  await platform.sessions.accept(inGroup('few', 10, { kind: 'record' }), ACCEPT);
  await platform.sessions.accept(inGroup('few-other', 11), ACCEPT);
  expect([await taken('few'), await taken('few-other')]).toEqual([[undefined], [undefined]]);
  await platform.sessions.accept(inGroup('few', 12), ACCEPT);
  expect((await taken('few')).at(-1)).toEqual(['said 3', 'said 4', 'said 5']);
});

proves('IN-8', 'any words survive the way, and long ones are cut', async () => {
  const { session } = inGroup('words', 0);
  const text = '"}],"text":"x\u2028\\ 😀';
  await history.remember(session, idOf(1), { from: '"},{', text }, 3);
  await history.remember(session, idOf(2), { from: 'Bob', text: 'x'.repeat(5000) }, 3);
  await platform.sessions.accept(inGroup('words', 10, { context: [{ kind: 'title', text: 'T' }] }), ACCEPT);
  const [job] = await platform.busy.mailboxQueue(session).getJobs(['waiting']);
  expect(envelopeSchema.parse(job?.data)).toMatchObject({
    text: 'message 10',
    history: [
      { from: '"},{', text },
      { from: 'Bob', text: 'x'.repeat(1000) },
    ],
    context: [{ kind: 'title', text: 'T' }],
  });
});
