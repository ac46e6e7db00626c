import { isSchema, listOf, oncePerSchema, pointedAt, type Schema } from './json-schema.js';
import { soundSchema } from './sound-schema.js';

/** At the top of a tool's parameters these make a provider refuse the whole request. */
const REFUSED = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else'];

/** What an object may hold, out of everything that is said of it. */
interface Said {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** References that were followed: each once, so that cycles end. */
  followed: Set<string>;
  root: Schema;
}

/** A tool's parameters as every wire takes them: sound, and an object. */
export const toolSchema = oncePerSchema((parameters) => objectSchema(soundSchema(parameters)));

/**
 * An object, with its properties named at the top. What alternatives and references there say of properties is gathered; that they
 * exclude each other is lost to the model, and checked when the tool is called (MO-4). A schema that is so already stays as it is.
 *
 * @param root what references begin at
 */
export function objectSchema(schema: Schema, root = schema): Schema {
  const isPlain = schema.type === 'object' && isSchema(schema.properties) && !REFUSED.some((keyword) => keyword in schema);
  if (isPlain) return schema;
  const said: Said = { properties: new Map(), required: new Set(), followed: new Set(), root };
  gather(schema, said, true);
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => keyword !== 'required' && !REFUSED.includes(keyword)),
  );
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
