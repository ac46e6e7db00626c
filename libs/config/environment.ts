import { readFileSync } from 'node:fs';
import type { ConfigProblem } from './config-error.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** A set of environment variables in which `NAME_FILE` stands for the contents of a file (a mounted secret). */
export class Environment {
  constructor(
    private readonly env: Env,
    private readonly problems: ConfigProblem[],
  ) {}

  /** An empty variable counts as unset, as compose files write it. */
  get(name: string): string | undefined {
    const value = this.env[name] || undefined;
    const file = this.env[`${name}_FILE`] || undefined;
    if (file === undefined) return value;
    if (value === undefined) return this.read(`${name}_FILE`, file);
    this.problems.push({ path: name, message: `set twice: remove either ${name} or ${name}_FILE` });
    return value;
  }

  private read(name: string, file: string): string | undefined {
    try {
      const text = readFileSync(file, 'utf8').trim();
      if (text === '') this.problems.push({ path: name, message: `the file ${file} is empty; write the value into it` });
      return text;
    } catch (error) {
      this.problems.push({
        path: name,
        message: `the file ${file} cannot be read (${errorCode(error)}); mount it or correct the path`,
      });
      return undefined;
    }
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
