import type { z } from 'zod';
import { InvalidInputError } from '#kernel';
import type { WebhookRequest } from './channel-port.js';

/** The body of a verified request, as `schema` reads it. Throws InvalidInputError that names the first field at fault. */
export function readJson<T>({ body }: WebhookRequest, schema: z.ZodType<T>): T {
  const read = schema.safeParse(parseJson(body));
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
