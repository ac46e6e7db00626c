import type { Config } from './config.schema.js';
import { childOf, configJsonSchema, type SchemaNode } from './schema-map.js';

const MASK = '***';
/** Behind the user, and those of sentinels behind the rest. */
const URL_PASSWORDS = [/(\/\/[^/@\s:]*:)(\S+)(?=@)/g, /([?&]\w*password=)([^&\s]+)/gi];

/** A copy to print: secrets and the passwords inside URLs are masked. */
export function redactConfig(config: Config): unknown {
  return mask(config, configJsonSchema);
}

/** One value as an error may show it. */
export function showValue(value: unknown, node: SchemaNode | undefined): string {
  return JSON.stringify(mask(value, node)) ?? 'nothing';
}

/** Every secret of a configuration, for the logger to scrub (a platform's error may quote a token). */
export function secretValues(config: Config): string[] {
  const found = new Set<string>();
  collect(config, configJsonSchema, found);
  return [...found];
}

function mask(value: unknown, node: SchemaNode | undefined): unknown {
  if (value === undefined || value === null) return value;
  if (node?.secret) return MASK;
  if (typeof value === 'string') return URL_PASSWORDS.reduce((text, password) => text.replace(password, `$1${MASK}`), value);
  if (Array.isArray(value)) return value.map((item, i) => mask(item, childOf(node, i)));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(item, childOf(node, key))]));
}

function collect(value: unknown, node: SchemaNode | undefined, found: Set<string>): void {
  if (typeof value === 'string') {
    if (node?.secret) found.add(value);
    for (const password of URL_PASSWORDS) for (const match of value.matchAll(password)) if (match[2]) found.add(match[2]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) collect(item, childOf(node, key), found);
  }
}
