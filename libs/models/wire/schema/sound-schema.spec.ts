import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { strictJsonSchema } from '../../../../test/fakes/wires/tool-schemas.js';
import { allowed, nasty } from '../../../../test/tool-schema-arbitraries.js';
import { anthropicSchema } from '../../anthropic/anthropic-schema.js';
import { googleSchema } from '../../google/google-schema.js';
import { openAiParameters } from '../../openai/strict-schema.js';
import type { Schema } from './json-schema.js';
import { toolSchema } from './object-schema.js';
import { soundSchema } from './sound-schema.js';

const takes = (schema: Schema, value: unknown): boolean => z.fromJSONSchema(schema).safeParse(value).success;

describe.each<[string, (schema: Schema) => Schema]>([
  ['JSON Schema', toolSchema],
  ['Gemini', (schema) => googleSchema(schema) ?? { type: 'object' }],
  ['strict', (schema) => openAiParameters(schema).parameters],
])('the dialect of %s', (_, dialect) => {
  test('MO-4 allows whatever the tool does, at any depth', () => {
    const property = fc.property(allowed, ({ schema, value }) => {
      expect(takes(dialect(schema), value)).toBe(true);
    });
    fc.assert(property, { numRuns: 300 });
  });
});

test('MO-4 a sound schema is sent as it is, and what has come of any other one is sound', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nasty,
        allowed.map(({ schema }) => schema),
      ),
      (schema) => {
        const sound = soundSchema(schema);
        expect(soundSchema(sound)).toEqual(sound);
        expect(JSON.stringify(soundSchema(sound))).toBe(JSON.stringify(sound));
      },
    ),
  );
});

test('MO-4 what older drafts and OpenAPI write differently is rewritten', () => {
  const old = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'OBJECT',
    properties: {
      age: { type: 'integer', minimum: 0, exclusiveMinimum: true },
      name: { type: 'string', nullable: true },
      pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      place: { $ref: '#/definitions/place' },
    },
    required: true,
    definitions: { place: { type: 'string', pattern: '(' } },
  };
  expect(toolSchema(old)).toEqual({
    type: 'object',
    properties: {
      age: { type: 'integer', exclusiveMinimum: 0 },
      name: { type: ['string', 'null'] },
      pair: { type: 'array', items: { not: {} }, prefixItems: [{ type: 'string' }, { type: 'number' }] },
      place: { $ref: '#/$defs/place' },
    },
    $defs: { place: { type: 'string' } },
  });
});

test('MO-4 Gemini is sent its subset: references filled in, one type each, alternatives alone, and words for the rest', () => {
  const node = {
    type: 'object',
    properties: { name: { const: 'n' }, next: { $ref: '#/$defs/node' } },
    required: ['name', 'gone'],
  };
  const schema = {
    type: 'object',
    properties: {
      when: { type: ['string', 'null'], format: 'date', description: 'The day' },
      level: { enum: ['low', 'high', 3, null], default: 'low' },
      link: { type: 'string', format: 'uri', maxLength: 9 },
      both: { allOf: [{ type: 'integer', exclusiveMinimum: 0 }, { description: 'A count' }] },
      tree: { $ref: '#/$defs/node' },
      never: false,
    },
    additionalProperties: false,
    $defs: { node },
  };
  expect(googleSchema(schema)).toEqual({
    type: 'object',
    properties: {
      when: {
        anyOf: [
          { type: 'string', format: 'date', description: 'The day (format: date)' },
          { type: 'null', description: 'The day (format: date)' },
        ],
      },
      level: {
        anyOf: [
          { type: 'string', enum: ['low', 'high'], description: '(default: low)' },
          { type: 'integer', description: 'One of 3' },
          { type: 'null' },
        ],
      },
      link: { type: 'string', description: '(format: uri; maxLength: 9)' },
      both: { type: 'integer', minimum: 1, description: 'A count' },
      tree: {
        type: 'object',
        properties: { name: { type: 'string', enum: ['n'] }, next: { type: 'object' } },
        required: ['name'],
      },
    },
  });
  expect(googleSchema({ type: 'object', properties: {} })).toBeUndefined();
});

test('MO-4 OpenAI is strict where that changes nothing of what is allowed, and nowhere else', () => {
  const text = { type: 'string' };
  const strict = (schema: Schema) => openAiParameters(schema).strict;
  const open = { type: 'object', properties: { a: text, b: { type: 'array', items: text } }, required: ['b', 'a'] };
  expect(openAiParameters(open)).toEqual({ parameters: { ...open, additionalProperties: false }, strict: true });
  expect(openAiParameters({})).toEqual({
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    strict: true,
  });
  const nested = (inner: Schema) => ({ type: 'object', properties: { inner }, required: ['inner'] });
  expect(strict(nested(open))).toBe(true);
  expect(strict(nested({ anyOf: [text, { type: 'null' }], default: null }))).toBe(true);
  for (const inner of [
    { ...open, required: ['a'] },
    { ...open, additionalProperties: true },
    { type: 'object' },
    { ...text, minLength: 1 },
    { ...text, format: 'uri' },
    { anyOf: [open, { ...open, description: 'other' }] },
    {},
  ])
    expect(strict(nested(inner))).toBe(false);
});

test('MO-4 what is sent as strict is taken by a server that checks that', () => {
  const seen = { strict: 0 };
  const property = fc.property(
    fc.oneof(
      allowed.map(({ schema }) => schema),
      nasty,
    ),
    (schema) => {
      const { parameters, strict } = openAiParameters(schema);
      seen.strict += strict ? 1 : 0;
      expect(strict ? strictJsonSchema(parameters) : []).toEqual([]);
    },
  );
  fc.assert(property, { numRuns: 1000 });
  expect(seen.strict).toBeGreaterThan(50);
});

test('MO-4 a property whose name Anthropic refuses is left out, and no longer required', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' }, 'b c': { type: 'string' } }, required: ['a', 'b c'] };
  expect(anthropicSchema(schema)).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
});

test('MO-4 what comes of a tool is made once', () => {
  const parameters = { type: 'object', $schema: 'x' };
  expect(toolSchema(parameters)).toBe(toolSchema(parameters));
});
