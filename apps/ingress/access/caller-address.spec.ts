import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { proves } from '../../../test/proves.js';
import { callerAddress } from './caller-address.js';

const address = (remoteAddress: string, proxies = 0, forwarded?: string): string =>
  callerAddress(
    { headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, socket: { remoteAddress } as Socket },
    proxies,
  );

proves('IN-6', 'a request comes from its connection, whatever it claims, unless a proxy of ours says more', () => {
  expect(address('203.0.113.9', 0, '198.51.100.1')).toBe('203.0.113.9');
  expect(address('10.0.0.1', 1, '198.51.100.1')).toBe('198.51.100.1');
  expect(address('10.0.0.1', 1, 'forged, 198.51.100.1')).toBe('198.51.100.1');
  expect(address('10.0.0.1', 2, '1.1.1.1, 198.51.100.1, 10.0.0.2')).toBe('198.51.100.1');
  expect(address('10.0.0.1', 1, '198.51.100.1:4711')).toBe('198.51.100.1');
  expect(address('10.0.0.1', 1, 'unknown')).toBe('10.0.0.1');
  expect(address('10.0.0.1', 2, '198.51.100.1')).toBe('10.0.0.1');
});

proves('IN-6', 'an IPv4 address is one caller in either notation, and so is a whole /64 of IPv6', () => {
  expect(address('::ffff:203.0.113.9')).toBe('203.0.113.9');
  expect(address('2001:db8:0:7::1')).toBe(address('2001:0db8::7:ffff:ffff:ffff:ffff'));
  expect(address('2001:db8:0:7::1')).not.toBe(address('2001:db8:0:8::1'));
  expect(address('::1')).toBe('0:0:0:0::/64');
});
