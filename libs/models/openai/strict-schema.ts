import { isSchema, listOf, mapSchema, oncePerSchema, typesOf, type Schema } from '../wire/schema/json-schema.js';
import { toolSchema } from '../wire/schema/object-schema.js';

/** What strict schemas may be made of. Source: OpenAI, "Structured Outputs", supported schemas. */
const KEYWORDS = new Set(
  (
    'type title description enum const anyOf $ref $defs properties required additionalProperties items minItems maxItems ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format'
  ).split(' '),
);
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
/** Said for people: it changes nothing of what is allowed. */
/** Objects in objects. */
const MOST_NESTED = 5;
const REMARKS = new Set(['default', 'examples']);

export interface OpenAiParameters {
  parameters: Schema;
  strict: boolean;
}

/**
 * Strict where that changes nothing of what the tool may be called with: OpenAI then holds the model to the schema, which has to
 * require every property of every object and allow no other. Everything else is sent as it is.
 */
export const openAiParameters = oncePerSchema((given): OpenAiParameters => {
  const parameters = toolSchema(given);
  let isUsable = true;
  const strict = mapSchema(parameters, (schema) => {
    const said = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !REMARKS.has(keyword)));
    isUsable &&= isStrict(said);
    return isObject(said) ? { ...said, required: listOf(said.required), additionalProperties: false } : said;
  });
  return isUsable && nesting(parameters) <= MOST_NESTED ? { parameters: strict, strict: true } : { parameters, strict: false };
});

function isStrict(schema: Schema): boolean {
  const keywords = Object.keys(schema);
  if (!keywords.every((keyword) => KEYWORDS.has(keyword))) return false;
  if ('format' in schema && !FORMATS.has(String(schema.format))) return false;
  if ('$ref' in schema) return keywords.length === 1;
  if ('anyOf' in schema) return isUnion(schema);
  return isObject(schema) ? isClosed(schema) : typesOf(schema).length > 0;
}

/** Of what has a type: objects are told apart by their first key, so that there may be one. */
function isUnion({ anyOf, type }: Schema): boolean {
  const branches = listOf(anyOf);
  const isTyped = branches.every((branch) => isSchema(branch) && typesOf(branch).length > 0);
  return type === undefined && isTyped && branches.filter(isObject).length <= 1;
}

/** Closed already, or nobody said whether it is. */
function isClosed({ properties, required, additionalProperties }: Schema): boolean {
  const names = isSchema(properties) ? Object.keys(properties) : undefined;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  const all = new Set(listOf(required));
  return names !== undefined && !isOpen && all.size === names.length && names.every((name) => all.has(name));
}

function isObject(schema: unknown): schema is Schema {
  return isSchema(schema) && typesOf(schema).includes('object');
}

function nesting(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const deepest = Object.values(value).reduce<number>((most, each) => Math.max(most, nesting(each)), 0);
  return deepest + ('properties' in value ? 1 : 0);
}
