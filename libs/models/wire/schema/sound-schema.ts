import { isSchema, listOf, LIST, NAMED, ONE, pointedAt, stepsOf, typesOf, type Schema } from './json-schema.js';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Schemas that one schema may come to. More than that, of references to its own parts, is cut. */
const MOST_SCHEMAS = 5000;

type Read = (value: unknown) => unknown;

const text: Read = (value) => (typeof value === 'string' ? value : undefined);
const number: Read = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const count: Read = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined);
const flag: Read = (value) => (typeof value === 'boolean' ? value : undefined);
const anything: Read = (value) => value;
const unique: Read = (value) => {
  const seen = new Set<string>();
  const different = listOf(value).filter((each) => !seen.has(JSON.stringify(each)) && seen.add(JSON.stringify(each)));
  return different.length > 0 ? different : undefined;
};
const names: Read = (value) => unique(listOf(value).filter((each) => typeof each === 'string'));
const pattern: Read = (value) => (typeof value === 'string' && isPattern(value) ? value : undefined);
const above0: Read = (value) => (Number(number(value)) > 0 ? value : undefined);

/** What each keyword may hold that holds no schema. */
const PLAIN: Readonly<Record<string, Read>> = {
  title: text,
  description: text,
  format: text,
  pattern,
  const: anything,
  default: anything,
  enum: unique,
  examples: (value) => (listOf(value).length > 0 ? value : undefined),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: above0,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  required: names,
};

/**
 * Of what servers of tools call a schema, the part that is one (draft 2020-12): a request is refused whole for one keyword of another
 * type. What older drafts and OpenAPI write differently is rewritten; keywords that no wire knows are left out. References stay where
 * they lead to a named definition, and are filled in elsewhere, around a circle once. A sound schema comes out as it went in.
 */
export function soundSchema(schema: Schema): Schema {
  return new Reading(schema).whole();
}

class Reading {
  /** By the names they go out with: definitions that something refers to. */
  readonly #definitions = new Map<string, Schema>();
  /** By the names they came with. */
  readonly #names = new Map<string, string>();
  /** References that are being filled in. */
  readonly #following = new Set<string>();
  #left = MOST_SCHEMAS;

  constructor(private readonly root: Schema) {}

  whole(): Schema {
    const sound = this.#schema(this.root);
    if (this.#definitions.size === 0) return sound;
    return { ...sound, $defs: Object.fromEntries(this.#definitions) };
  }

  #schema(value: unknown): Schema {
    if (value === false) return { not: {} };
    if (!isSchema(value) || (this.#left -= 1) < 0) return {};
    const modern = modernised(value);
    const entries = Object.entries(modern).map(([keyword, held]) => [keyword, this.#held(keyword, held)]);
    const sound = Object.fromEntries(entries.filter(([, held]) => held !== undefined)) as Schema;
    // A list of anything has to say so.
    if (typesOf(sound).includes('array') && !('items' in sound)) sound.items = {};
    return typeof modern.$ref === 'string' ? { ...this.#reference(modern.$ref), ...sound } : sound;
  }

  #held(keyword: string, value: unknown): unknown {
    if (keyword === 'additionalProperties' && typeof value === 'boolean') return value;
    if (isIn(ONE, keyword)) return isSchema(value) || typeof value === 'boolean' ? this.#schema(value) : undefined;
    if (isIn(LIST, keyword)) {
      const schemas = listOf(value).map((each) => this.#schema(each));
      return schemas.length > 0 ? schemas : undefined;
    }
    if (keyword === '$defs') return undefined;
    if (isIn(NAMED, keyword)) return isSchema(value) ? this.#named(value, keyword === 'patternProperties') : undefined;
    if (keyword === 'type') return typeOf(value);
    return Object.hasOwn(PLAIN, keyword) ? PLAIN[keyword]?.(value) : undefined;
  }

  #named(schemas: Schema, byPattern: boolean): Schema {
    const kept = Object.entries(schemas).filter(([name]) => !byPattern || isPattern(name));
    return Object.fromEntries(kept.map(([name, schema]) => [name, this.#schema(schema)]));
  }

  #reference(given: string): Schema {
    const ref = this.#end(given);
    const target = ref === undefined ? undefined : pointedAt(ref, this.root);
    if (ref === undefined || target === undefined) return {};
    const name = this.#definitionOf(ref);
    if (name === undefined) return this.#filledIn(ref, target);
    const known = this.#names.get(name);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const free = this.#nameFor(name);
    this.#definitions.set(free, {});
    this.#definitions.set(free, this.#schema(target));
    return { $ref: `#/$defs/${free}` };
  }

  /** Readers of references do not agree on what else is escaped in one, and how. */
  #nameFor(name: string): string {
    const plain = name.replaceAll(/[^\w.-]/g, '_') || '_';
    let free = plain;
    for (let nth = 2; this.#definitions.has(free); nth++) free = `${plain}_${nth}`;
    this.#names.set(name, free);
    return free;
  }

  /** Where references that are nothing else lead; undefined in a circle. */
  #end(given: string): string | undefined {
    const met = new Set<string>();
    for (let ref = given; ;) {
      if (met.has(ref)) return undefined;
      met.add(ref);
      const target = pointedAt(ref, this.root);
      if (!isSchema(target) || typeof target.$ref !== 'string' || Object.keys(target).length > 1) return ref;
      ref = target.$ref;
    }
  }

  #filledIn(ref: string, target: unknown): Schema {
    if (this.#following.has(ref)) return {};
    this.#following.add(ref);
    const schema = this.#schema(target);
    this.#following.delete(ref);
    return schema;
  }

  /** undefined for a part of the schema that has no name, and for one whose name means two. */
  #definitionOf(ref: string): string | undefined {
    const [place = '', name, ...deeper] = stepsOf(ref) ?? [];
    if (name === undefined || deeper.length > 0 || (place !== '$defs' && place !== 'definitions')) return undefined;
    const other = this.root[place === '$defs' ? 'definitions' : '$defs'];
    return isSchema(other) && Object.hasOwn(other, name) ? undefined : name;
  }
}

/** As draft 2020-12 writes it. */
function modernised(schema: Schema): Schema {
  const { nullable, ...rest } = schema;
  const modern: Schema = nullable === true && rest.type !== undefined ? { ...rest, type: [...types(rest.type), 'null'] } : rest;
  if (Array.isArray(modern.items)) {
    modern.prefixItems ??= modern.items;
    modern.items = modern.additionalItems ?? {};
  }
  for (const [bound, exclusive] of BOUNDS)
    if (modern[exclusive] === true) [modern[exclusive], modern[bound]] = [modern[bound], undefined];
  return modern;
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

function typeOf(value: unknown): unknown {
  const known = types(value);
  return known.length > 1 || (Array.isArray(value) && known.length === 1) ? known : known[0];
}

function types(value: unknown): string[] {
  const given = Array.isArray(value) ? value : [value];
  const known = given.flatMap((each) => (typeof each === 'string' && TYPES.has(each.toLowerCase()) ? [each.toLowerCase()] : []));
  return [...new Set(known)];
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function isIn(keywords: readonly string[], keyword: string): boolean {
  return keywords.includes(keyword);
}
