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

/**
 * Every secret of a configuration, to be taken out of whatever others say (a platform's error may quote a token). Of values that may be
 * anything, headers or options of a plugin, those that sound or look like one: `production` stays a word.
 */
export function secretValues(config: object): string[] {
  const found = new Set<string>();
  collect(config, configJsonSchema, found);
  return [...found];
}

function mask(value: unknown, node: SchemaNode | undefined): unknown {
  if (value === undefined || value === null) return value;
  if (node?.secret || (typeof value !== 'object' && holdsSecrets(node))) return MASK;
  if (typeof value === 'string') return URL_PASSWORDS.reduce((text, password) => text.replace(password, `$1${MASK}`), value);
  if (Array.isArray(value)) return value.map((item, i) => mask(item, childOf(node, i)));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(item, childOf(node, key))]));
}

/** Of lists and records of secrets: a single one may stand in their place by mistake. */
function holdsSecrets(node: SchemaNode | undefined): boolean {
  return [node?.items, node?.additionalProperties].some((inside) => inside && inside.secret !== undefined);
}

function collect(value: unknown, node: SchemaNode | undefined, found: Set<string>, name = ''): void {
  if (typeof value === 'string') {
    if (node?.secret) addSecret(value, name, node.secret, found);
    for (const password of URL_PASSWORDS) for (const match of value.matchAll(password)) if (match[2]) found.add(match[2]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      collect(item, node?.secret ? node : childOf(node, key), found, Array.isArray(value) ? name : key);
  }
}

function addSecret(text: string, name: string, secret: NonNullable<SchemaNode['secret']>, found: Set<string>): void {
  if (secret === 'perhaps' && !soundsSecret(name) && !looksSecret(text)) return;
  found.add(text);
  // `Bearer <token>`: whoever quotes it may leave the word out.
  const last = text.split(/\s+/).at(-1) ?? '';
  if (looksSecret(last)) found.add(last);
}

function soundsSecret(name: string): boolean {
  return /key|token|secret|passw|auth|credential|cookie|signature|dsn/i.test(name);
}

/** Long, of one piece, with digits among letters, and no address: nobody says this by chance. */
function looksSecret(text: string): boolean {
  return /^(?=.*\d)(?=.*[a-z])(?!https?:)[^\s]{16,}$/i.test(text);
}
