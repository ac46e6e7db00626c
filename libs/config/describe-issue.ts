import type { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { isRaw } from './config-file.js';
import { ENV_OPTIONS, type EnvSources } from './env-overrides.js';
import { showValue } from './redact-config.js';
import { allowedAt, nodeAt } from './schema-map.js';

export interface Origin {
  raw: unknown;
  /** The file that was read, for the reader to find. */
  file: string;
  env: EnvSources;
}

/** Options that have another name now: the rest of their path, old and new. */
const RENAMED = [[/\.context\.summaryModel$/, '.utilityModel']] as const;

/** Puts a schema's complaint into words: what was found, where it came from, what is allowed. */
export function describeIssue(issue: z.core.$ZodIssue, origin: Origin): ConfigProblem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...issue.path, key], origin));
  if (issue.code === 'invalid_key') {
    return [{ path, message: `this name is not allowed (${origin.file}); use ${issue.issues[0]?.message ?? 'another one'}` }];
  }
  const allowed = `allowed: ${allowedAt(issue.path)}`;
  const found = valueAt(origin.raw, issue.path);
  if (found === undefined) return [{ path, message: `is missing; set it in ${waysToSet(path, origin)}; ${allowed}` }];
  const from = origin.env.get(path) ?? origin.file;
  return [{ path, message: `found ${showValue(found, nodeAt(issue.path))} (from ${from}); ${allowed}` }];
}

function unknownKey(path: readonly PropertyKey[], { file }: Origin): ConfigProblem {
  const old = path.join('.');
  const renamed = RENAMED.find(([pattern]) => pattern.test(old));
  if (renamed) return { path: old, message: `is ${old.replace(...renamed)} now (${file}); rename it` };
  return { path: old, message: `no such option (${file}); allowed here: ${allowedAt(path.slice(0, -1))}` };
}

function waysToSet(path: string, { file }: Origin): string {
  const names = ENV_OPTIONS.filter((option) => option.path.join('.') === path).map(
    ({ name }) => ` or as ${name} or ${name}_FILE`,
  );
  return file + names.join('');
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isRaw(value) ? value[String(key)] : undefined;
  }, raw);
}
