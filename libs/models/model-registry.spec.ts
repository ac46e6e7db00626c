import { describe, expect, test } from 'vitest';
import type { ModelProvider } from '#agent';
import { ModelRegistry } from './index.js';

const provider = (id: string): ModelProvider => ({ id, stream: () => Promise.reject(new Error('not asked')) as never });
const registry = new ModelRegistry([provider('openai'), provider('scripted')]);

describe('model names', () => {
  test('MO-1 provider/model is split at the first slash', () => {
    expect(registry.resolve('openai/org/model:free')).toMatchObject({ keys: [{ id: 'openai' }], model: 'org/model:free' });
  });

  test('MO-3 an alias is as good as the name, and several keys are one provider', () => {
    const several = new ModelRegistry([provider('a'), provider('b'), provider('a')]).under({ fast: 'a/m' });
    expect(several.resolve('fast')).toMatchObject({ keys: [{ id: 'a' }, { id: 'a' }], model: 'm' });
    expect(() => several.resolve('slow')).toThrow('"slow" is no model name');
  });

  test.each([
    ['acme/x', 'There is no model provider "acme" for "acme/x". Known providers: openai, scripted.'],
    ['gpt', '"gpt" is no model name: write provider/model. Known providers: openai, scripted.'],
    ['openai/', 'write provider/model'],
  ])('MO-1 %s is refused with what to write instead', (name, words) => {
    expect(() => registry.resolve(name)).toThrow(words);
    expect(() => registry.resolve(name)).toThrow(expect.objectContaining({ name: 'TerminalError', code: 'model_not_found' }));
  });
});
