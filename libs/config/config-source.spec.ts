import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError, ConfigSource, loadConfig } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-source-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'turnpike.json5');

function sourceOf(text: string): ConfigSource {
  writeFileSync(file, text);
  return new ConfigSource(() => loadConfig({ env: {}, file }));
}

test('OP-6 a reload is seen by current and by the listeners', () => {
  const source = sourceOf('{log: {level: "info"}}');
  const seen: string[] = [];
  const stop = source.onChange((next, previous) => seen.push(`${previous.log.level}->${next.log.level}`));
  writeFileSync(file, '{log: {level: "debug"}, tools: {message: {defaultDeliveryMode: "batched"}}}');
  expect(source.reload().needRestart).toEqual([]);
  stop();
  source.reload();
  expect(seen).toEqual(['info->debug']);
  expect(source.current.tools.message.defaultDeliveryMode).toBe('batched');
});

test('OP-6 a bad reload keeps the old configuration and says why', () => {
  const source = sourceOf('{log: {level: "warn"}}');
  const before = source.current;
  source.onChange(() => expect.unreachable('listeners hear of good configurations only'));
  writeFileSync(file, '{log: {level: "loud"}}');
  expect(() => source.reload()).toThrow(ConfigError);
  expect(source.current).toBe(before);
});

test('OP-6 what does not count at once keeps its value, and the reload says so, again and again', () => {
  const source = sourceOf('{http: {port: 4000}}');
  writeFileSync(file, '{http: {port: 4001}, limits: {fleet: {concurrency: 5}}}');
  for (const reload of [source.reload(), source.reload()]) expect(reload.needRestart).toEqual(['http.port']);
  expect(source.current).toMatchObject({ http: { port: 4000 }, limits: { fleet: { concurrency: 5 } } });
});
