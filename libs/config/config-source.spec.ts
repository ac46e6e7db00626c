import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError, ConfigSource, loadConfig, modelLimits } from './index.js';

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

test('OP-6 QU-5 limits of models are live, the rest of their provider is not; a model with limits of its own has those only', () => {
  const source = sourceOf('{models: {providers: {openai: {apiKey: "k", limits: {requestsPerMinute: 5}}}}}');
  const limits = '{requestsPerMinute: 7, models: {"big": {tokensPerMinute: 9}}}';
  writeFileSync(file, `{models: {providers: {openai: {apiKey: "other", limits: ${limits}}}}}`);
  expect(source.reload().needRestart).toEqual(['models.providers.openai.apiKey']);
  const of = (provider: string, model: string) => modelLimits(source.current, provider, model);
  expect(of('openai', 'small')).toMatchObject({ requestsPerMinute: 7, tokensPerMinute: 0 });
  expect(of('openai', 'big')).toMatchObject({ requestsPerMinute: 0, tokensPerMinute: 9 });
  expect(of('scripted', 'demo')).toEqual({ requestsPerMinute: 0, tokensPerMinute: 0 });
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
