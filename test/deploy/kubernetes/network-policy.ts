import { BlockList } from 'node:net';
import { z } from 'zod';
import type { Manifest } from './manifests.js';
import { selectorSchema, selects, type Workload } from './workloads.js';

/** Where a tool that was told to fetch something must not get: metadata service, nodes, pods and services, this pod itself. */
const FORBIDDEN = ['169.254.169.254', '10.0.0.1', '172.16.0.1', '172.31.255.1', '192.168.1.1', '100.64.0.1', '127.0.0.1', 'fe80::1', 'fd00::1']; // prettier-ignore

const ipBlock = z.object({ cidr: z.string(), except: z.array(z.string()).optional() });
const policySpec = z.object({
  podSelector: selectorSchema,
  policyTypes: z.array(z.string()),
  ingress: z.array(z.unknown()).optional(),
  egress: z.array(z.object({ to: z.array(z.looseObject({ ipBlock: ipBlock.optional() })).optional(), ports: z.array(z.unknown()) })).optional(),
}); // prettier-ignore

/** Every pod is closed in both directions before anything is opened, and no opening towards the internet reaches inside. */
export function networkProblems(manifests: readonly Manifest[], workloads: readonly Workload[]): string[] {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ metadata: { name }, spec }) => ({ name, ...policySpec.parse(spec) }));
  const open = workloads
    .filter(({ labels }) => {
      const types = policies.filter(({ podSelector }) => selects(podSelector, labels)).flatMap(({ policyTypes }) => policyTypes);
      return !types.includes('Ingress') || !types.includes('Egress');
    })
    .map(({ kind, name }) => `${kind} ${name}: no network policy closes it`);
  const inside = policies.flatMap(({ name, egress = [] }) =>
    egress
      .flatMap(({ to = [] }) => to.flatMap((peer) => peer.ipBlock ?? []))
      .flatMap((block) => FORBIDDEN.filter((address) => reaches(block, address)))
      .map((address) => `NetworkPolicy ${name}: it opens the way to ${address}`),
  );
  return [...open, ...inside];
}

function reaches({ cidr, except = [] }: z.output<typeof ipBlock>, address: string): boolean {
  return within(cidr, address) && !except.some((block) => within(block, address));
}

function within(cidr: string, address: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const family = (of: string): 'ipv4' | 'ipv6' => (of.includes(':') ? 'ipv6' : 'ipv4');
  if (family(network) !== family(address)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family(network));
  return list.check(address, family(address));
}
