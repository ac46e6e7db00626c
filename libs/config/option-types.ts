import { z } from 'zod';

/** Names of agents, tenants, accounts: they end up in keys and URLs, and libs/routing counts on their length. */
export const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/)
  .describe('1 to 32 of A-Z a-z 0-9 _ -, the first a letter or digit');

/** A value that is masked wherever the configuration is printed, and scrubbed from logs. */
export function secret(minLength: number, description: string) {
  return z.string().min(minLength).meta({ secret: true, description });
}

/** A whole number of milliseconds. */
export function ms(min: number, max: number) {
  return z.int().min(min).max(max);
}

export const port = z.int().min(0).max(65_535);

export const ONE_DAY_MS = 86_400_000;
