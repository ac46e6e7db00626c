import { expect, test } from 'vitest';
import { isPublicAddress } from './public-address.js';

test.each(['1.1.1.1', '172.32.0.1', '192.167.255.255', '100.128.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::8'])(
  'OUT-6 %s is of the internet',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fe80::1',
  'fd00::1',
  'ff02::1',
  '2001:0:7f00:1::',
  '2002:7f00:1::',
  '2001:db8::1',
  'localhost',
  '',
  '127.1',
])('OUT-6 %s is not', (address) => expect(isPublicAddress(address)).toBe(false));
