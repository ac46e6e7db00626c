import type { z } from 'zod';
import { InvalidInputError } from '#kernel';
import type { WebhookRequest } from './channel-port.js';

/** The body of a verified request, as `schema` reads it. Throws like readValue. */
export function readJson<T>({ body }: Pick<WebhookRequest, 'body'>, schema: z.ZodType<T>): T {
  return readValue(parseJson(body), schema);
}

/** What a verified request said, as `schema` reads it. Throws InvalidInputError that names the first field at fault. */
export function readValue<T>(value: unknown, schema: z.ZodType<T>): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new InvalidInputError(`${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new InvalidInputError('The body is not JSON', { cause: error });
  }
}
