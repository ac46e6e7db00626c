import fc from 'fast-check';

type Schema = Record<string, unknown>;
/** A schema, and something it allows. */
export interface Allowed {
  schema: Schema;
  value: unknown;
}

const name = fc.constantFrom('a', 'b', 'city', 'max-count', 'über', '$id', 'x'.repeat(70));
const anything = fc.oneof(fc.boolean(), fc.constant(null), fc.nat(9), fc.string({ maxLength: 3 }), fc.object({ maxDepth: 1 }));
const word = fc.string({ unit: 'grapheme', maxLength: 4 });

const { node } = fc.letrec<{ node: Allowed; leaf: Allowed; deep: Allowed; object: Allowed }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('deep')),
  leaf: fc.oneof(
    word.map((value) => ({ schema: { type: 'string', maxLength: 40, description: 'd' }, value })),
    fc.constantFrom({ schema: { type: 'string', format: 'uri', default: 'x' }, value: 'https://a.example/' }),
    fc.nat(9).map((value) => ({ schema: { type: 'integer', exclusiveMinimum: value - 1, maximum: value }, value })),
    fc.nat(9).map((value) => ({ schema: { type: 'number', minimum: value, exclusiveMaximum: value + 1, multipleOf: 1 }, value })),
    fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
    fc.oneof(word, fc.nat(3), fc.boolean(), fc.constant(null)).map((value) => ({ schema: { const: value }, value })),
    fc
      .array(fc.oneof(word, fc.nat(3), fc.boolean(), fc.constant(null)), { minLength: 1, maxLength: 4 })
      .map((values) => ({ schema: { enum: values }, value: values[0] })),
    fc.constantFrom(
      { schema: { type: ['string', 'null'] }, value: null },
      { schema: { type: 'string', nullable: true }, value: null },
    ),
    fc.constantFrom({ schema: { type: 'array' }, value: ['x'] }, { schema: { type: 'object' }, value: { any: 1 } }),
  ),
  deep: fc.oneof(
    tie('object'),
    tie('node').map(({ schema, value }) => ({ schema: { type: 'array', items: schema, uniqueItems: true }, value: [value] })),
    fc
      .tuple(tie('node'), tie('node'))
      .map(([a, b]) => ({ schema: { type: 'array', prefixItems: [a.schema, b.schema] }, value: [a.value, b.value] })),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => ({ schema: { anyOf: [a.schema, b.schema], title: 't' }, value: b.value })),
    tie('node').map(({ schema, value }) => ({ schema: { oneOf: [schema, { const: 'neither' }] }, value })),
    fc
      .tuple(tie('object'), tie('object'))
      .map(([a, b]) => ({ schema: { type: 'object', anyOf: [a.schema, b.schema] }, value: b.value })),
    tie('object').map(({ schema, value }) => ({ schema: { allOf: [schema, { description: 'and' }] }, value })),
    tie('node').map(({ schema, value }) => ({ schema: { $def: schema }, value })),
    tie('node').map(({ schema, value }) => ({
      schema: { type: 'object', additionalProperties: schema },
      value: { some: value },
    })),
  ),
  object: fc
    .dictionary(name, fc.tuple(tie('node'), fc.constantFrom('required', 'there', 'left out')), { maxKeys: 3 })
    .map((members) => {
      const all = Object.entries(members);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(all.map(([key, [{ schema }]]) => [key, schema])),
          required: all.flatMap(([key, [, how]]) => (how === 'required' ? [key] : [])),
          additionalProperties: false,
        },
        value: Object.fromEntries(all.flatMap(([key, [{ value }, how]]) => (how === 'left out' ? [] : [[key, value]]))),
      };
    }),
}));

/** Parameters of a tool, and what it may be called with: every keyword that tools really use, at any depth, some of it by reference. */
export const allowed: fc.Arbitrary<Allowed> = fc.dictionary(name, node, { minKeys: 1, maxKeys: 3 }).map((members) => ({
  schema: withDefinitions({
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([key, { schema }]) => [key, schema])),
    required: Object.keys(members),
  }),
  value: Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])),
}));

/** Puts what is marked `$def` where references find it. */
function withDefinitions(schema: Schema): Schema {
  const $defs: Schema = {};
  const lifted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(lifted);
    if (typeof value !== 'object' || value === null) return value;
    if (!('$def' in value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lifted(each)]));
    const definition = `${Object.keys($defs).length} of/it`;
    $defs[definition] = {};
    $defs[definition] = lifted(value.$def);
    return { $ref: `#/$defs/${definition.replaceAll('/', '~1')}` };
  };
  const whole = lifted(schema) as Schema;
  return { ...whole, $defs };
}

const KEYWORDS =
  'type enum required properties items prefixItems additionalProperties anyOf oneOf allOf not if then $ref $defs definitions pattern format minimum exclusiveMinimum maxItems nullable default patternProperties $schema x-any';
const REFERENCES = ['#', '#/properties/a', '#/$defs/a', '#/definitions/a', '#/anyOf/0', 'other.json', '#anchor', '#/%'];

/** What servers of tools hand out for a schema: older drafts, OpenAPI, references in circles, and mistakes. */
export const { nasty } = fc.letrec<{ nasty: Schema }>((tie) => {
  const held = fc.oneof(
    { depthSize: 'small' },
    anything,
    fc.constantFrom('string', 'object', 'array', 'STRING', 'any', '(', 'uri'),
    fc.array(fc.constantFrom('string', 'null', 'file', 'a'), { maxLength: 3 }),
    fc.constantFrom(...REFERENCES),
    tie('nasty'),
    fc.array(tie('nasty'), { maxLength: 2 }),
    fc.dictionary(name, tie('nasty'), { maxKeys: 2 }),
  );
  return { nasty: fc.dictionary(fc.constantFrom(...KEYWORDS.split(' ')), held, { maxKeys: 4 }) };
});
