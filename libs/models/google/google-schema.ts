import { isSchema, listOf, mapValues, oncePerSchema, pointedAt, typesOf, type Schema } from '../wire/schema/json-schema.js';
import { objectSchema, toolSchema } from '../wire/schema/object-schema.js';
import { described, enumSchemas } from './google-values.js';

/** Schemas that one tool may come to once its references are filled in. More than that are left to the model. */
const MOST_SCHEMAS = 2000;
/** Whatever it is, but for lists in lists. This wire wants a type wherever there is a schema. */
const SIMPLE = ['string', 'number', 'boolean', 'object'].map((type) => ({ type }));
const ANYTHING: Schema = { anyOf: [...SIMPLE, { type: 'array', items: { anyOf: SIMPLE } }, { type: 'null' }] };

/**
 * A tool's parameters in the subset of JSON Schema that Gemini takes, at any depth: references filled in, around a circle once, parts
 * of an `allOf` made one, alternatives as an `anyOf` with nothing beside it, one type each, constants as values of an enum, and what
 * it has no keyword for as words of the description. It never allows less than the schema it comes from. undefined for a tool without
 * parameters: this wire refuses an object without properties.
 *
 * Source: ai.google.dev, "Structured outputs", JSON Schema support; Vertex AI, FunctionDeclaration.
 */
export const googleSchema = oncePerSchema((parameters): Schema | undefined => {
  const schema = toolSchema(parameters);
  const { properties } = schema;
  return isSchema(properties) && Object.keys(properties).length > 0 ? new Dialect(schema).of(schema, []) : undefined;
});

class Dialect {
  #left = MOST_SCHEMAS;

  constructor(private readonly root: Schema) {}

  /** @param followed references on the way to it */
  of(given: unknown, followed: readonly string[]): Schema {
    if (!isSchema(given) || (this.#left -= 1) < 0) return ANYTHING;
    const { schema, refs } = this.#unfolded(given, followed);
    const branches = listOf(schema.anyOf ?? schema.oneOf);
    if (branches.length > 0 && isObject(schema)) return this.#object(objectSchema(schema, this.root), refs);
    if (branches.length > 0) return this.#union(schema, branches, refs);
    if ('const' in schema) return this.#values(schema, [schema.const]);
    if (Array.isArray(schema.enum)) return this.#values(schema, schema.enum);
    const types = typesOf(schema);
    if (types.length > 1) return this.#anyOf(types.map((type) => this.of({ ...schema, type }, refs)));
    return this.#typed({ ...schema, type: types[0] ?? likelyType(schema) }, refs);
  }

  /** With what its reference and the parts of its `allOf` say; what is said first counts. */
  #unfolded(given: Schema, followed: readonly string[]): { schema: Schema; refs: readonly string[] } {
    const { $ref, allOf, ...own } = given;
    const parts: Schema[] = [own];
    let refs = followed;
    for (const part of listOf(allOf)) {
      if (!isSchema(part)) continue;
      const unfolded = this.#unfolded(part, refs);
      parts.push(unfolded.schema);
      refs = unfolded.refs;
    }
    const target = typeof $ref === 'string' ? pointedAt($ref, this.root) : undefined;
    if (isSchema(target) && refs.includes(String($ref))) {
      // Around a circle once; behind that it is only known what type it has.
      parts.push({ type: target.type });
    } else if (isSchema(target)) {
      const unfolded = this.#unfolded(target, [...refs, String($ref)]);
      parts.push(unfolded.schema);
      refs = unfolded.refs;
    }
    return { schema: parts.reduceRight((behind, part) => both(part, behind), {}), refs };
  }

  #union(schema: Schema, branches: readonly unknown[], refs: readonly string[]): Schema {
    const { anyOf: _, oneOf: __, type, ...said } = schema;
    const typed = branches
      .filter((branch) => !isNever(branch))
      .map((branch) => (isSchema(branch) && type ? { type, ...branch } : branch));
    return this.#anyOf(
      typed.map((branch) => this.of(branch, refs)),
      described({ description: said.description, default: said.default }),
    );
  }

  /** Nothing may stand beside the list, so what is said of it is said of its first. */
  #anyOf(schemas: readonly Schema[], description?: string): Schema {
    const flat = schemas.flatMap((schema) => listOf(schema.anyOf ?? [schema]));
    const different = [...new Map(flat.filter(isSchema).map((schema) => [JSON.stringify(schema), schema])).values()];
    const [first = { type: 'string' }, ...others] = different;
    const told =
      description === undefined ? first : { ...first, description: [description, first.description].filter(Boolean).join(' ') };
    return others.length === 0 ? told : { anyOf: [told, ...others] };
  }

  #values(schema: Schema, values: readonly unknown[]): Schema {
    return this.#anyOf(enumSchemas(values, typesOf(schema)), described(schema));
  }

  #typed(schema: Schema & { type: string | undefined }, refs: readonly string[]): Schema {
    const description = described(schema);
    const said = { ...(description !== undefined && { description }) };
    switch (schema.type) {
      case 'object':
        return this.#object(schema, refs);
      case 'array':
        return { type: 'array', ...said, ...this.#items(schema, refs), ...kept(schema, ['minItems', 'maxItems']) };
      case 'integer':
      case 'number':
        return { type: schema.type, ...said, ...bounds(schema, schema.type) };
      case 'string':
        return { type: 'string', ...said, ...(FORMATS.has(String(schema.format)) && { format: schema.format }) };
      case undefined:
        return this.#anyOf(listOf(ANYTHING.anyOf).filter(isSchema), description);
      default:
        return { type: schema.type, ...said };
    }
  }

  #object(schema: Schema, refs: readonly string[]): Schema {
    const all = isSchema(schema.properties) ? schema.properties : {};
    const possible = Object.fromEntries(Object.entries(all).filter(([, property]) => !isNever(property)));
    const properties = mapValues(possible, (property) => this.of(property, refs));
    const required = listOf(schema.required).filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
    const { additionalProperties } = schema;
    const description = described(schema);
    return {
      type: 'object',
      ...(description !== undefined && { description }),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(isSchema(additionalProperties) && { additionalProperties: this.of(additionalProperties, refs) }),
    };
  }

  /** Places of a tuple are alternatives. */
  #items({ prefixItems, items }: Schema, refs: readonly string[]): Schema {
    const places = [...listOf(prefixItems), ...(isSchema(items) && !isNever(items) ? [items] : [])];
    return { items: places.length > 0 ? this.#anyOf(places.map((place) => this.of(place, refs))) : ANYTHING };
  }
}

/** Others it refuses. */
const FORMATS = new Set(['date-time', 'date', 'time']);

function both(first: Schema, second: Schema): Schema {
  const properties = {
    ...(isSchema(second.properties) && second.properties),
    ...(isSchema(first.properties) && first.properties),
  };
  const required = [...new Set([...listOf(first.required), ...listOf(second.required)])];
  return {
    ...second,
    ...first,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function bounds(schema: Schema, type: 'integer' | 'number'): Schema {
  const step = type === 'integer' ? 1 : 0;
  const { minimum = raised(schema.exclusiveMinimum, step), maximum = raised(schema.exclusiveMaximum, -step) } = schema;
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}

function raised(bound: unknown, step: number): number | undefined {
  return typeof bound === 'number' ? (Number.isInteger(bound) ? bound + step : bound) : undefined;
}

function kept(schema: Schema, keywords: readonly string[]): Schema {
  return Object.fromEntries(keywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])));
}

function isObject(schema: Schema): boolean {
  return isSchema(schema.properties) || typesOf(schema).join() === 'object';
}

function isNever(schema: unknown): boolean {
  return isSchema(schema) && isSchema(schema.not) && Object.keys(schema.not).length === 0;
}

/** By the keywords that only speak of one. */
function likelyType(schema: Schema): string | undefined {
  const says = (...keywords: string[]) => keywords.some((keyword) => keyword in schema);
  if (says('properties', 'required', 'additionalProperties', 'patternProperties')) return 'object';
  if (says('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (says('pattern', 'minLength', 'maxLength', 'format')) return 'string';
  return says('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : undefined;
}
