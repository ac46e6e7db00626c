import { freePort } from './harness/free-port.js';
import { waitUntil } from './harness/wait-until.js';
import { startRedis, type RedisServer } from './redis-server.js';

/** Three masters with a replica each, processes of the test's own on loopback. */
export interface RedisCluster {
  /** redis-cluster:// with all six nodes. */
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  /** Kills (SIGKILL) the master of a slot and waits until its replica has taken over. */
  killMasterOf(slot: number): Promise<void>;
  /** Starts whoever was killed again; resolves when each has everything and follows, as with whoever restarts pods. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

const NODES = 6;
const NODE_TIMEOUT_MS = 1500;
const GUARD_MS = 60_000;

/** @param args of every redis-server */
export async function startRedisCluster(args: string[] = []): Promise<RedisCluster> {
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(args)));
  const [first] = nodes;
  if (!first) throw new Error('A cluster has nodes');
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  try {
    await first.cli('--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes');
    for (const node of nodes) await waitUntil('the cluster is whole', () => node.cli('cluster', 'info'), isWhole, GUARD_MS);
    const synced = async (): Promise<string[]> => Promise.all(nodes.map((node) => node.cli('info', 'replication')));
    await waitUntil('every replica has its data', synced, haveReplicas, GUARD_MS);
  } catch (error) {
    await Promise.all(nodes.map((node) => node.kill()));
    throw error;
  }
  const dead = new Set<RedisServer>();
  const living = (): RedisServer => nodes.find((node) => !dead.has(node)) ?? first;
  return {
    url: `redis-cluster://${hosts.join(',')}`,
    nodes,
    async killMasterOf(slot) {
      const port = await masterOf(living(), slot);
      const master = nodes.find((node) => node.port === port);
      if (!master) throw new Error(`No node of ours serves slot ${slot}`);
      dead.add(master);
      await master.kill();
      const taken = async (): Promise<number> => masterOf(living(), slot).catch(() => port);
      await waitUntil('a replica has taken over', taken, (now) => now !== port, GUARD_MS);
    },
    async heal() {
      const follows = async (): Promise<boolean> => {
        const infos = await Promise.all([...dead].map((node) => node.cli('info', 'replication')));
        return infos.every((info) => info.includes('master_link_status:up'));
      };
      await Promise.all([...dead].map((node) => node.restart()));
      await waitUntil('they follow', follows, Boolean, GUARD_MS);
      dead.clear();
    },
    stop: async () => void (await Promise.all(nodes.map((node) => node.kill()))),
  };
}

async function startNode(args: string[]): Promise<RedisServer> {
  const bus = await freePort();
  const ofCluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', `${NODE_TIMEOUT_MS}`, '--cluster-port', `${bus}`];
  return startRedis({ args: [...ofCluster, '--repl-diskless-sync-delay', '0', ...args] });
}

const isWhole = (info: string): boolean => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${NODES}`);
/** One without its first copy is never elected. */
const haveReplicas = (infos: readonly string[]): boolean =>
  infos.filter((info) => info.includes('master_link_status:up')).length === NODES / 2;

/** Port of the master that serves a slot. */
async function masterOf(node: RedisServer, slot: number): Promise<number> {
  const lines = (await node.cli('cluster', 'nodes')).split('\n');
  for (const line of lines) {
    const [, address = '', flags = '', ...rest] = line.split(' ');
    if (!flags.includes('master') || flags.includes('fail')) continue;
    for (const range of rest.slice(5)) {
      const [from = Number.NaN, to = from] = range.split('-').map(Number);
      if (slot >= from && slot <= to) return Number(address.split('@')[0]?.split(':').at(-1));
    }
  }
  throw new Error(`Slot ${slot} has no master`);
}
