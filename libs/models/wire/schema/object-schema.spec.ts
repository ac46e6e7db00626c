import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectSchema } from './object-schema.js';

const text = { type: 'string' };
const whole = { type: 'integer' };

test('MO-4 a plain schema of an object is sent as it is', () => {
  const plain = { type: 'object', properties: { a: { oneOf: [text, whole] } }, required: ['a'], additionalProperties: false };
  expect(objectSchema(plain)).toBe(plain);
});

test('MO-4 alternatives at the top become one object that holds the properties of all', () => {
  const branch = (kind: string, name: string, schema: object) => ({
    type: 'object',
    properties: { kind: { const: kind }, [name]: schema },
    required: ['kind', name],
  });
  const schema = {
    description: 'd',
    allOf: [{ properties: { id: text }, required: ['id'] }],
    oneOf: [branch('a', 'x', text), branch('b', 'y', whole)],
  };
  expect(objectSchema(schema)).toEqual({
    description: 'd',
    type: 'object',
    properties: { id: text, kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: text, y: whole },
    required: ['id'],
  });
});

test('MO-4 references at the top are followed within the schema, around a circle once', () => {
  const $defs = {
    'a/b': { properties: { a: text, self: { $ref: '#/$defs/a~1b' } }, required: ['a'], allOf: [{ $ref: '#/$defs/a~1b' }] },
  };
  expect(objectSchema({ $ref: '#/$defs/a~1b', $defs })).toEqual({
    $defs,
    type: 'object',
    properties: { a: text, self: { $ref: '#/$defs/a~1b' } },
    required: ['a'],
  });
});

test('MO-4 whatever stands for a schema, an object without a refused keyword comes out, and stays', () => {
  const part = fc.oneof(fc.boolean(), fc.constant({ $ref: '#' }), fc.constant({ $ref: '#/oneOf/0' }), fc.object());
  const nasty = fc.record(
    {
      type: fc.constantFrom('object', 'string', null),
      $ref: fc.constantFrom('#', '#/allOf/0', 'elsewhere.json', '#/no/such'),
      properties: fc.oneof(fc.dictionary(fc.string(), part), fc.boolean()),
      required: fc.oneof(fc.array(fc.string()), fc.boolean()),
      oneOf: fc.array(part),
      allOf: fc.oneof(fc.array(part), fc.constant('x')),
      not: part,
      enum: fc.constant([1]),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(nasty, (schema) => {
      const sent = objectSchema(schema);
      expect(sent).toMatchObject({ type: 'object', properties: {} });
      for (const keyword of ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'enum']) expect(sent).not.toHaveProperty([keyword]);
      expect(objectSchema(sent)).toBe(sent);
    }),
  );
});
