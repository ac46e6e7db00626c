import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import type { ConfigProblem } from './config-error.js';
import { errorCode, type Environment } from './environment.js';

export type Raw = Record<string, unknown>;

const REFERENCE = /\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Reads one JSON5 file and puts the environment into its strings: `${NAME}` (or NAME_FILE) is replaced, `$${NAME}` stays `${NAME}`.
 * @param required whether somebody named this file, so that its absence is a problem
 */
export function readConfigFile(file: string, required: boolean, env: Environment, problems: ConfigProblem[]): Raw {
  try {
    const raw: unknown = JSON5.parse(readFileSync(file, 'utf8'));
    if (isRaw(raw)) return substitute(raw, [], env, problems) as Raw;
    problems.push({ path: file, message: 'holds no object; wrap the options in { }' });
  } catch (error) {
    if (error instanceof SyntaxError)
      problems.push({ path: file, message: `is not valid JSON5: ${error.message.replace(/^JSON5: /, '')}` });
    else if (required || errorCode(error) !== 'ENOENT')
      problems.push({ path: file, message: `cannot be read (${errorCode(error)})` });
  }
  return {};
}

export function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function substitute(value: unknown, path: readonly string[], env: Environment, problems: ConfigProblem[]): unknown {
  if (Array.isArray(value)) return value.map((item, i) => substitute(item, [...path, String(i)], env, problems));
  if (isRaw(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, [...path, key], env, problems)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(REFERENCE, (whole: string, escaped: string | undefined, name: string) => {
    if (escaped) return whole.slice(1);
    const found = env.get(name);
    if (found === undefined)
      problems.push({ path: path.join('.'), message: `names \${${name}}, which is not set; set ${name} or ${name}_FILE` });
    return found ?? '';
  });
}
