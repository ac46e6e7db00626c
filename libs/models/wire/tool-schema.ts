type Schema = Record<string, unknown>;

/** At the top of a tool's parameters these make a provider refuse the whole request. */
const REFUSED = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'enum'];

/** What an object may hold, out of everything that is said of it. */
interface Said {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** References that were followed: each once, so that cycles end. */
  followed: Set<string>;
  root: Schema;
}

/**
 * A tool's parameters as every wire takes them: an object, with its properties named at the top. What alternatives and references
 * there say of properties is gathered; that they exclude each other is lost to the model, and checked when the tool is called (MO-4).
 * A schema that is so already stays as it is.
 */
export function objectSchema(schema: Schema): Schema {
  const isPlain = schema.type === 'object' && isSchema(schema.properties) && !REFUSED.some((keyword) => keyword in schema);
  if (isPlain) return schema;
  const said: Said = { properties: new Map(), required: new Set(), followed: new Set(), root: schema };
  gather(schema, said, true);
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !REFUSED.includes(keyword)));
  const required = [...said.required].filter((name) => said.properties.has(name));
  const properties = Object.fromEntries(said.properties);
  return { ...kept, type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** @param holds whether it is said of every value, so that what it requires is required */
function gather(schema: unknown, said: Said, holds: boolean): void {
  if (!isSchema(schema)) return;
  const { $ref, properties, required, allOf, oneOf, anyOf } = schema;
  if (isSchema(properties)) for (const [name, property] of Object.entries(properties)) add(name, property, said.properties);
  if (holds) for (const name of listOf(required)) if (typeof name === 'string') said.required.add(name);
  for (const part of listOf(allOf)) gather(part, said, holds);
  for (const branch of [...listOf(oneOf), ...listOf(anyOf)]) gather(branch, said, false);
  if (typeof $ref !== 'string' || said.followed.has($ref)) return;
  said.followed.add($ref);
  gather(pointedAt($ref, said.root), said, holds);
}

/** What two alternatives say of one property is an alternative too. */
function add(name: string, property: unknown, properties: Map<string, unknown>): void {
  const known = properties.get(name);
  const isNew = known === undefined || JSON.stringify(known) === JSON.stringify(property);
  properties.set(name, isNew ? property : { anyOf: [known, property] });
}

/** Only within the schema itself: nothing is fetched. */
function pointedAt(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#/')) return undefined;
  const steps = ref.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
