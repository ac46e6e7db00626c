import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, loadScript, type RedisClient } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-script-'));
let redis: RedisClient;
beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'request');
  await once(redis, 'ready');
});
afterAll(() => {
  redis.disconnect();
  rmSync(folder, { recursive: true });
});

function scriptOf(lua: string, ...preludes: ('fence' | 'time' | 'ring')[]) {
  writeFileSync(join(folder, 'it.lua'), lua);
  return loadScript(folder, 'it', ...preludes);
}

test('QU-1 a script runs although the server does not know it, the first time and after its cache was emptied', async () => {
  const script = scriptOf('return {KEYS[1], ARGV[1]}');
  expect(await script.run(redis, ['k'], ['a'])).toEqual(['k', 'a']);
  await redis.script('FLUSH');
  expect(await script.run(redis, ['k'], [1])).toEqual(['k', '1']);
});

test('QU-1 an error of a script is not taken for an unknown script', async () => {
  await expect(scriptOf('return redis.error_reply("NOTSTORED message")').run(redis, [], [])).rejects.toThrow('NOTSTORED message');
});

test('G1 comments do not travel with a guard', () => {
  expect(scriptOf('-- Purpose: none\n\n  return 1').lua).toBe('return 1');
});

test.each([
  ['5.1.a', '', 1, 'the first claim'],
  ['5.1.a', '5.1.a', 0, 'the same claim'],
  ['6.1.a', '5.9.b', 1, 'a newer activation'],
  ['5.2.a', '5.1.b', 1, 'a newer attempt'],
  ['5.1.a', '5.2.b', -1, 'an older attempt'],
  ['5.9.a', '6.1.b', -1, 'an older activation'],
  ['10.1.a', '9.1.a', 1, 'compared as numbers, not as text'],
  ['1790000000001.1.a', '1790000000000.1.a', 1, 'milliseconds since 1970'],
  ['5.1.a', '5.1.b', 2, 'the same counter on another worker'],
])('G2 QU-1 fence %s against %s is %i: %s', async (mine, inForce, order) => {
  const script = scriptOf("return order(ARGV[1], ARGV[2] ~= '' and ARGV[2] or nil)", 'fence');
  expect(await script.run(redis, [], [mine, inForce])).toBe(order);
});

test('IN-4 the seen ring finds whole tags only, not a tag across the border of two', async () => {
  const script = scriptOf(
    'local ring = ""\nfor i = 2, #ARGV do ring = ring .. tag(ARGV[i]) end\nreturn inring(ring, ARGV[1]) and 1 or 0',
    'ring',
  );
  const [one, two] = ['mAAAABBBB', 'mCCCCDDDD'];
  expect(await script.run(redis, [], [two, one, two])).toBe(1);
  expect(await script.run(redis, [], ['mBBBBCCCC', one, two])).toBe(0);
  // The id that lies across a border may also be there for itself.
  expect(await script.run(redis, [], ['mBBBBCCCC', one, two, 'mBBBBCCCC'])).toBe(1);
});

test('G2 times that writers leave at 0 are filled in with the clock of Redis, once each', async () => {
  const script = scriptOf('return {stamp(ARGV[1], "at"), now()}', 'time');
  const [stamped, now] = (await script.run(redis, [], ['{"at":0,"text":"\\"at\\":0"}'])) as [string, number];
  const { at, text } = JSON.parse(stamped) as { at: number; text: string };
  expect([Math.abs(at - now) < 1000, text]).toEqual([true, '"at":0']);
});
