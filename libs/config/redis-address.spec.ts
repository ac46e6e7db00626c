import { expect, test } from 'vitest';
import { parseRedisUrl } from './redis-address.js';

const OPEN = { username: undefined, password: undefined, tls: false };

test.each([
  ['redis://localhost', { ...OPEN, kind: 'standalone', node: { host: 'localhost', port: 6379 }, db: 0 }],
  ['redis://[::1]:7000/3', { ...OPEN, kind: 'standalone', node: { host: '::1', port: 7000 }, db: 3 }],
  [
    'rediss://us%40er:p%3Aw%2Fd@r.example:6380',
    { username: 'us@er', password: 'p:w/d', tls: true, kind: 'standalone', node: { host: 'r.example', port: 6380 }, db: 0 },
  ],
  ['redis://:secret@r', { ...OPEN, password: 'secret', kind: 'standalone', node: { host: 'r', port: 6379 }, db: 0 }],
  [
    'redis-cluster://u:p@a:7000,b,c:7002',
    {
      username: 'u',
      password: 'p',
      tls: false,
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 6379 },
        { host: 'c', port: 7002 },
      ],
    },
  ],
  [
    'rediss-sentinel://:p@a,b:26380/mymaster/2?sentinelPassword=q%26r',
    {
      username: undefined,
      password: 'p',
      tls: true,
      kind: 'sentinel',
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_380 },
      ],
      master: 'mymaster',
      db: 2,
      sentinelPassword: 'q&r',
    },
  ],
])('OP-12 %s', (url, address) => {
  expect(parseRedisUrl(url)).toEqual(address);
});

test.each([
  ['http://u:hidden@h', 'is none of redis://'],
  ['redis://u:hidden@a,b', 'names several hosts'],
  ['redis-cluster://u:hidden@a/1', 'a cluster has database 0 only'],
  ['redis-sentinel://u:hidden@a:1', 'does not name the master'],
  ['redis://u:hidden@h:70000', 'a port that is none: 70000'],
  ['redis://u:hidden@h/one', 'a database that is no number'],
  ['redis://u:hidden@', 'is none of'],
])('OP-12 OP-6 %s is refused with what is wrong, and without its password', (url, words) => {
  expect(() => parseRedisUrl(url)).toThrow(words);
  expect(() => parseRedisUrl(url)).not.toThrow('hidden');
});
