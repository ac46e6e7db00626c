/** JSON Schema of draft 2020-12, as it is written: an object. */
export type Schema = Record<string, unknown>;

/** Keywords that hold one schema, a list of them, and named ones. */
export const ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'] as const;
export const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
export const NAMED = ['properties', 'patternProperties', '$defs'] as const;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The types it allows by itself; none when it says nothing of them. */
export function typesOf({ type }: Schema): string[] {
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
}

/** Of a sound schema, with `change` made to every schema in it, the innermost first. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const inner = (value: unknown): unknown => (isSchema(value) ? mapSchema(value, change) : value);
  const read = (keyword: string, value: unknown): unknown => {
    if (isIn(ONE, keyword)) return inner(value);
    if (isIn(LIST, keyword)) return listOf(value).map(inner);
    if (isIn(NAMED, keyword) && isSchema(value)) return mapValues(value, inner);
    return value;
  };
  return change(Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, read(keyword, value)])));
}

export function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/** What a reference points at; only within the schema itself: nothing is fetched. */
export function pointedAt(ref: string, root: Schema): unknown {
  if (ref === '#') return root;
  return stepsOf(ref)?.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return at[Number(step)] as unknown;
    return isSchema(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, root);
}

/** Of a JSON Pointer in a URI fragment (RFC 6901); undefined for every other reference. */
export function stepsOf(ref: string): string[] | undefined {
  if (!ref.startsWith('#/')) return undefined;
  const steps = ref.slice(2).split('/');
  try {
    return steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}

/** Tools are the same objects in every request: what comes of one is kept as long as it. */
export function oncePerSchema<T>(convert: (schema: Schema) => T): (schema: Schema) => T {
  const known = new WeakMap<Schema, { result: T }>();
  return (schema) => {
    const { result } = known.get(schema) ?? { result: convert(schema) };
    known.set(schema, { result });
    return result;
  };
}

function isIn(keywords: readonly string[], keyword: string): boolean {
  return keywords.includes(keyword);
}
