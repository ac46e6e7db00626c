import { z } from 'zod';
import { configFileSchema } from './config.schema.js';

/** The part of a JSON Schema node that is read here. */
export interface SchemaNode {
  type?: string;
  description?: string;
  /** `perhaps`: never shown as part of the configuration; a secret elsewhere too, where it sounds or looks like one. */
  secret?: true | 'perhaps';
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, SchemaNode>;
  additionalProperties?: false | SchemaNode;
  items?: SchemaNode;
}

/** JSON Schema (draft 2020-12) of the configuration file (OP-6). */
export const configJsonSchema: SchemaNode = z.toJSONSchema(configFileSchema, { io: 'input' }) as SchemaNode;

export function childOf(node: SchemaNode | undefined, key: PropertyKey): SchemaNode | undefined {
  if (!node) return undefined;
  if (node.items) return node.items;
  return node.properties?.[String(key)] ?? (node.additionalProperties || undefined);
}

export function nodeAt(path: readonly PropertyKey[]): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>(childOf, configJsonSchema);
}

/** Dotted paths of all options; `*` stands for the id in a record or the place in a list. */
export function optionPaths(node: SchemaNode = configJsonSchema, path = ''): string[] {
  const at = (key: string, child: SchemaNode) => optionPaths(child, path ? `${path}.${key}` : key);
  if (node.items) return at('*', node.items);
  if (node.additionalProperties) return at('*', node.additionalProperties);
  const inside = Object.entries(node.properties ?? {});
  return inside.length > 0 ? inside.flatMap(([key, child]) => at(key, child)) : [path];
}

/** "a whole number from 1 to 9", and what it is for. */
export function allowedAt(path: readonly PropertyKey[]): string {
  const node = nodeAt(path);
  if (!node) return 'nothing';
  const shape = shapeOf(node);
  return node.description ? `${shape} (${node.description})` : shape;
}

function shapeOf(node: SchemaNode): string {
  if (node.enum) return `one of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'integer') return `a whole number from ${node.minimum} to ${node.maximum}`;
  if (node.type === 'number') return `a number from ${node.minimum} to ${node.maximum}`;
  if (node.type === 'array') return 'a list';
  if (node.properties) return `an object with ${Object.keys(node.properties).join(', ') || 'nothing in it'}`;
  return node.type === 'object' ? 'an object of names' : 'a string';
}
