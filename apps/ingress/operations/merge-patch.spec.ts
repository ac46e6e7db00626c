import { expect, test } from 'vitest';
import { mergePatch } from './merge-patch.js';

test('QU-4 a patch of the limits merges objects, null takes out, all else replaces', () => {
  const before = { fleet: { concurrency: 5 }, tenants: { acme: { weight: 2 }, other: { weight: 3 } } };
  const patch = {
    fleet: { turnsPerSecond: 1 },
    tenants: { acme: null, fresh: { agents: { main: { concurrency: 1 } } } },
    tenant: [],
  };
  expect(mergePatch(before, patch)).toEqual({
    fleet: { concurrency: 5, turnsPerSecond: 1 },
    tenants: { other: { weight: 3 }, fresh: { agents: { main: { concurrency: 1 } } } },
    tenant: [],
  });
  expect(before).toEqual({ fleet: { concurrency: 5 }, tenants: { acme: { weight: 2 }, other: { weight: 3 } } });
});

test('QU-4 nulls in a new object leave nothing behind, and names of prototypes are only names', () => {
  expect(mergePatch(undefined, { a: { b: null } })).toEqual({ a: {} });
  const hostile: unknown = JSON.parse('{"__proto__": {"admin": true}}');
  const merged = mergePatch({}, hostile);
  expect(Object.keys(merged as object)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf({})).not.toHaveProperty('admin');
});
