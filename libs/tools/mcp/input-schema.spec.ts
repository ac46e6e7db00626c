import { expect, test } from 'vitest';
import { descriptionOf, parametersOf } from './input-schema.js';

const OPEN = { type: 'object', properties: {}, additionalProperties: true };
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { inside: deep(levels - 1) } });

test('TO-4 a schema reaches the model as it is, without what providers refuse', () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', required: ['a'] };
  expect(parametersOf({ inputSchema: schema })).toEqual({ type: 'object', properties: {}, required: ['a'] });
  const inside = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } };
  expect(parametersOf({ inputSchema: inside })).toEqual(inside);
});

test.each([
  ['is no object', { type: 'string' }],
  ['is too long for every prompt', { type: 'object', properties: { a: { description: 'x'.repeat(40_000) } } }],
  ['is too deep', { type: 'object', ...deep(40) }],
  ['refers to elsewhere', { type: 'object', properties: { a: { $ref: 'https://example.com/schema' } } }],
])('TO-4 a schema that %s becomes: any arguments', (_, inputSchema) => {
  expect(parametersOf({ inputSchema })).toEqual(OPEN);
});

test('TO-4 a description is bounded, and there is always one', () => {
  expect(descriptionOf('files', { name: 'read', description: 'x'.repeat(5000) })).toHaveLength(2000);
  expect(descriptionOf('files', { name: 'read', description: '' })).toBe('read, a tool of the MCP server files');
});
