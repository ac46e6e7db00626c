import { z } from 'zod';

type Schema = Record<string, unknown>;
/** What a server says of the parameters of a tool; nothing of good ones. */
export type SchemaCheck = (schema: Schema) => string[];

/** The parameters of a tool, as a server that checks them so takes them. */
export function parametersOf(check: SchemaCheck) {
  return z.looseObject({ type: z.literal('object') }).superRefine((schema, context) => {
    for (const message of check(schema)) context.addIssue({ code: 'custom', message });
  });
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'];
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', '$defs'];

/** The metaschema of draft 2020-12, of the keywords there are. */
const HELD: Record<string, (value: unknown) => boolean> = {
  type: (value) =>
    Array.isArray(value)
      ? value.length > 0 && isNames(value) && value.every((each) => TYPES.includes(each as string))
      : TYPES.includes(value as string),
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: isNames,
  ...Object.fromEntries(['title', 'description', 'format', 'pattern', '$ref'].map((keyword) => [keyword, isText])),
  ...Object.fromEntries(
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((keyword) => [keyword, isNumber]),
  ),
  ...Object.fromEntries(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) => [keyword, isCount]),
  ),
  uniqueItems: (value) => typeof value === 'boolean',
  examples: Array.isArray,
  default: () => true,
  const: () => true,
};

/** Every schema in it, with where it is. */
function* schemasIn(schema: unknown, at = '#'): Generator<{ schema: unknown; at: string }> {
  yield { schema, at };
  if (!isSchema(schema)) return;
  for (const [keyword, held] of Object.entries(schema)) {
    if (ONE.includes(keyword)) yield* schemasIn(held, `${at}/${keyword}`);
    else if (LIST.includes(keyword) && Array.isArray(held))
      for (const [n, each] of held.entries()) yield* schemasIn(each, `${at}/${keyword}/${n}`);
    else if (NAMED.includes(keyword) && isSchema(held))
      for (const [name, each] of Object.entries(held)) yield* schemasIn(each, `${at}/${keyword}/${name}`);
  }
}

function problemsIn(root: Schema, check: (schema: Schema, at: string) => string[]): string[] {
  return [...schemasIn(root)].flatMap(({ schema, at }) => {
    if (typeof schema === 'boolean' && at.endsWith('/additionalProperties')) return [];
    return isSchema(schema) ? check(schema, at).map((problem) => `${at}: ${problem}`) : [`${at}: is no schema`];
  });
}

function pointsSomewhere(ref: string, root: Schema): boolean {
  const name = /^#\/\$defs\/([^/]*)$/.exec(ref)?.[1];
  if (name === undefined || !isSchema(root.$defs)) return false;
  return Object.hasOwn(root.$defs, decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", and "array schema missing items". */
export const jsonSchema: SchemaCheck = (root) => {
  const top = ['$ref', 'oneOf', 'anyOf', 'allOf', 'enum', 'not', 'if', 'then', 'else'].filter((keyword) => keyword in root);
  const unnamed = isSchema(root.properties) ? [] : ['object schema missing properties'];
  const nested = problemsIn(root, (schema, at) => [
    ...Object.entries(schema).flatMap(([keyword, value]) => {
      if (ONE.includes(keyword) || NAMED.includes(keyword))
        return isSchema(value) || typeof value === 'boolean' ? [] : [`${keyword} is no schema`];
      if (LIST.includes(keyword)) return Array.isArray(value) && value.length > 0 ? [] : [`${keyword} is no list of schemas`];
      return HELD[keyword]?.(value) ? [] : [`${keyword} is not valid under draft 2020-12`];
    }),
    ...(at !== '#' && '$defs' in schema ? ['$defs inside'] : []),
    ...(typeof schema.$ref === 'string' && !pointsSomewhere(schema.$ref, root) ? [`${schema.$ref} cannot be resolved`] : []),
    ...([schema.type].flat().includes('array') && !('items' in schema) ? ['array schema missing items'] : []),
  ]);
  return [...top.map((keyword) => `${keyword} at the top`), ...unnamed, ...nested];
};

/** "Property keys should match pattern". */
export const anthropicJsonSchema: SchemaCheck = (root) => [
  ...jsonSchema(root),
  ...problemsIn(root, ({ properties = {} }) =>
    Object.keys(properties as Schema).flatMap((name) => (/^[a-zA-Z0-9_.-]{1,64}$/.test(name) ? [] : [`property key ${name}`])),
  ),
];

const STRICT_KEYWORDS =
  'type title description enum const anyOf $ref $defs properties required items additionalProperties minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format';

/** "'additionalProperties' is required to be supplied and to be false", "'required' is required to be supplied and to be an array including every key in properties". */
export const strictJsonSchema: SchemaCheck = (root) => [
  ...jsonSchema(root),
  ...problemsIn(root, (schema) => {
    const problems = Object.keys(schema).flatMap((keyword) =>
      STRICT_KEYWORDS.split(' ').includes(keyword) ? [] : [`${keyword} is not permitted`],
    );
    if (!['type', 'anyOf', '$ref'].some((keyword) => keyword in schema)) problems.push("schema must have a 'type' key");
    if ('$ref' in schema && Object.keys(schema).length > 1) problems.push('$ref cannot have keywords');
    if (![schema.type].flat().includes('object')) return problems;
    if (schema.additionalProperties !== false) problems.push('additionalProperties has to be false');
    const names = Object.keys((schema.properties ?? {}) as Schema);
    if (names.toSorted().join() !== [...((schema.required ?? []) as string[])].toSorted().join())
      problems.push('required has to name every key');
    return problems;
  }),
];

const GOOGLE: Record<string, readonly string[]> = {
  object: ['type', 'description', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'description', 'items', 'minItems', 'maxItems'],
  string: ['type', 'description', 'enum', 'format'],
  integer: ['type', 'description', 'minimum', 'maximum'],
  number: ['type', 'description', 'minimum', 'maximum'],
  boolean: ['type', 'description'],
  null: ['type', 'description'],
};

/** "Unknown name", "schema didn't specify the schema type field", "When using any_of, it must be the only field set", "should be non-empty for OBJECT type". */
export const googleJsonSchema: SchemaCheck = (root) =>
  problemsIn(root, (schema) => {
    const { type, anyOf, properties, required = [], enum: values = ['x'], format = 'date' } = schema;
    if (anyOf !== undefined) return Object.keys(schema).length > 1 ? ['any_of must be the only field set'] : [];
    const known = GOOGLE[String(type)];
    if (!known) return ["didn't specify the schema type field"];
    const unknown = Object.keys(schema).filter((keyword) => !known.includes(keyword));
    const names = isSchema(properties) ? Object.keys(properties) : [];
    return [
      ...unknown.map((keyword) => `Unknown name "${keyword}"`),
      ...(properties !== undefined && names.length === 0 ? ['properties: should be non-empty for OBJECT type'] : []),
      ...(required as string[]).flatMap((name) => (names.includes(name) ? [] : [`required: property ${name} is not defined`])),
      ...(type === 'array' && !isSchema(schema.items) ? ['items: missing field'] : []),
      ...((values as unknown[]).every((value) => isText(value) && value !== '') ? [] : ['enum: cannot be empty, TYPE_STRING']),
      ...(['date', 'time', 'date-time'].includes(String(format)) ? [] : [`format ${String(format)} is not supported`]),
    ];
  });
