import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect } from 'vitest';
import { connect, Keyspace, mastersOf, Replication, type Bucket, type RedisClient } from '#redis';
import { Fleet } from './harness/fleet.js';
import { freePort } from './harness/free-port.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedisCluster } from './redis-cluster.js';
import { startRedisSentinels } from './redis-sentinel.js';
import { startRedis, type RedisServer } from './redis-server.js';

const FIRST = 0 as Bucket;
const AT_ONCE = ['--repl-diskless-sync-delay', '0'];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(url: string): Promise<RedisClient> {
  const redis = connect(url, 'worker');
  closing.push(() => redis.disconnect());
  await once(redis, 'ready');
  return redis;
}

/** Resolves when the replica has everything. */
async function follow(replica: RedisServer, master: RedisServer): Promise<void> {
  await replica.cli('replicaof', '127.0.0.1', `${master.port}`);
  const isLinked = (info: string): boolean => info.includes('link_status:up');
  await waitUntil('the replica has its data', () => replica.cli('info', 'replication'), isLinked);
}

proves('OP-12', 'a connection finds the masters of a cluster and goes on when one is killed', async () => {
  const cluster = await startRedisCluster();
  closing.push(() => cluster.stop());
  const redis = await open(cluster.url);
  expect(mastersOf(redis)).toHaveLength(3);
  const keyspace = new Keyspace(16);
  const keys = keyspace.buckets.map((bucket) => `${keyspace.prefix(bucket)}:kept`);
  for (const key of keys) await redis.set(key, key);
  await new Replication(redis, keyspace, 5000).confirm(FIRST, keys[0] ?? '');
  await cluster.killMasterOf(Number(await redis.cluster('KEYSLOT', keys[0] ?? '')));
  for (const key of keys) expect(await redis.get(key)).toBe(key);
});

proves(
  'OP-12',
  'a connection follows the master its sentinels name, and what was confirmed is there after a failover',
  async () => {
    const sentinels = await startRedisSentinels();
    closing.push(() => sentinels.stop());
    const redis = await open(sentinels.url);
    await redis.set('kept', 1);
    await new Replication(redis, new Keyspace(1), 5000).confirm(FIRST, 'kept');
    await sentinels.failOver();
    expect(await redis.get('kept')).toBe('1');
    expect(await redis.incr('kept')).toBe(2);
  },
);

proves(
  ['G1', 'OP-12'],
  'without a replica nothing is confirmed, however many ask, and one WAIT serves all who ask meanwhile',
  async () => {
    const server = await startRedis({ appendonly: false });
    closing.push(() => server.kill());
    const redis = await open(server.url);
    const replication = new Replication(redis, new Keyspace(1), 50);
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => replication.confirm(FIRST, 'kept')));
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'));
    expect(await server.cli('info', 'commandstats')).toMatch(/cmdstat_wait:calls=1,/);
  },
);

proves(
  ['G1', 'OP-12'],
  'a write that the master died with is not confirmed by the one that took over, though that one has a replica',
  async () => {
    const [master, heir, replica] = await Promise.all([1, 2, 3].map(() => startRedis({ appendonly: false, args: AT_ONCE })));
    if (!master || !heir || !replica) throw new Error('Three were started');
    closing.push(() => Promise.all([master, heir, replica].map((server) => server.kill())));
    await follow(heir, master);
    const before = await open(master.url);
    await before.set('kept', 1);
    await new Replication(before, new Keyspace(1), 5000).confirm(FIRST, 'kept');
    await heir.cli('replicaof', 'no', 'one');
    await before.set('alone', 1);
    await master.kill();
    await follow(replica, heir);
    const replication = new Replication(await open(heir.url), new Keyspace(1), 5000);
    const asked = ['kept', 'alone', 'kept'].map((key) => replication.confirm(FIRST, key));
    const [first, second, third] = await Promise.allSettled(asked);
    expect(second).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('without it') as string } });
    expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled']);
  },
);

proves(
  ['G1', 'IN-4'],
  'at durability replicated a message that no replica has is refused, and its repetition is the same message once one has it',
  async () => {
    const [master, replica] = [await startRedis({ args: AT_ONCE }), await startRedis()];
    closing.push(() => Promise.all([master.kill(), replica.kill()]));
    const file = join(mkdtempSync(join(tmpdir(), 'turnpike-durability-')), 'turnpike.json5');
    writeFileSync(file, JSON.stringify({ redis: { url: master.url, durability: 'replicated', replicaTimeoutMs: 100 } }));
    const platform = await openPlatform(file);
    closing.push(() => platform.close());
    const accept = () => platform.sessions.accept(envelopeOf(targetOf('safe'), 1, 'keep this'), ACCEPT);
    await expect(accept()).rejects.toThrow('No replica of Redis confirmed the write within 100 ms');
    await follow(replica, master);
    expect(await accept()).toMatchObject({ duplicate: true, seq: 1 });
    await master.kill();
    await replica.cli('REPLICAOF', 'NO', 'ONE');
    expect(await replica.cli('keys', '*safe:wait')).not.toBe('');
  },
);

proves('OP-12', 'over TLS a process trusts who its CA vouches for, and nobody else', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'turnpike-tls-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '1', ...subject]);
  const port = await freePort();
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  const redis = await startRedis({ args: ['--tls-port', `${port}`, ...files, '--tls-auth-clients', 'no'] });
  closing.push(() => redis.kill());
  const nowhere = 'http://127.0.0.1:9';
  const fleet = new Fleet({ redisUrl: `rediss://127.0.0.1:${port}`, modelUrl: nowhere, toolUrl: nowhere });
  closing.push(() => fleet.close());
  await fleet.start('dispatcher', 1, { NODE_EXTRA_CA_CERTS: cert });
  const stranger = fleet.spawn('dispatcher');
  await waitUntil(
    'the stranger is refused',
    () => JSON.stringify(stranger.lines),
    (lines) => lines.includes('self-signed certificate'),
  );
});
