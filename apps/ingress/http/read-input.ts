import type { PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { Problem, type FieldError } from './problem.js';

/** Checks a body or a query: `@Body(new Input(schema))`. Throws Problem 400 that names every field at fault. */
export class Input<T> implements PipeTransform<unknown, T> {
  constructor(private readonly schema: z.ZodType<T>) {}

  transform(value: unknown): T {
    const read = this.schema.safeParse(value);
    if (read.success) return read.data;
    const errors = read.error.issues.flatMap(fieldErrors);
    const detail = errors.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ');
    throw new Problem(400, 'invalid-input', detail, { errors });
  }
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a field of this request; remove it' }));
}
