import { expect, test } from 'vitest';
import { promptCacheKey } from './prompt-cache-key.js';

test('MO-5 a session has one prompt cache key, no other has the same, and it tells no names', () => {
  const key = promptCacheKey({ tenant: 'acme', session: 'a:main' });
  expect(key).toMatch(/^[\w-]{32}$/);
  expect(promptCacheKey({ tenant: 'acme', session: 'a:main' })).toBe(key);
  expect(promptCacheKey({ tenant: 'acme2', session: 'a:main' })).not.toBe(key);
  expect(promptCacheKey({ tenant: 'acme', session: 'a:other' })).not.toBe(key);
});
