import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const PORT_OF_IPV4 = /^(\d+(?:\.\d+){3}):\d+$/;
const IPV4_IN_IPV6 = /^::ffff:(\d+(?:\.\d+){3})$/i;
const IPV6_GROUPS = 8;

/**
 * Where a request comes from, as something to count by: an IPv4 address, or the /64 of an IPv6 one, all of which one subscriber has.
 * @param proxies how many in front append to X-Forwarded-For; what a client wrote there before them is not believed
 */
export function callerAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: number): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const remote = socket.remoteAddress ?? 'unknown';
  const said = proxies === 0 ? '' : (forwarded.at(-proxies) ?? '').trim().replace(PORT_OF_IPV4, '$1');
  return network(isIP(said) === 0 ? remote : said);
}

function network(address: string): string {
  const ipv4 = IPV4_IN_IPV6.exec(address)?.[1];
  if (ipv4 !== undefined || isIP(address) !== 6) return ipv4 ?? address;
  const [left = [], right = []] = address.split('::').map((side) => side.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, IPV6_GROUPS / 2);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
