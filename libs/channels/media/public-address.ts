import { BlockList, isIP } from 'node:net';

/** IANA special-purpose registries (RFC 6890 and its updates): nothing of the internet at large is in there. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Inside 2000::/3. Teredo and 6to4 carry an IPv4 address that nobody has checked. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const GLOBAL_IPV6 = blockList(['2000::/3'], 'ipv6');

const special4 = blockList(SPECIAL_IPV4, 'ipv4');
const special6 = blockList(SPECIAL_IPV6, 'ipv6');

/** Whether an IP address belongs to the internet, and not to a network that only some can reach. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4');
    case 6:
      return GLOBAL_IPV6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
    default:
      return false;
  }
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
