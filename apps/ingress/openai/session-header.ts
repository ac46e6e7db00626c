import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.js';

/** Names the session of a request; in answers the whole key of the one that was used. */
export const SESSION_HEADER = 'x-turnpike-session';
const NAMED = /^[\x21-\x7e]{1,200}$/;

/** The header of the request. */
export const SessionHeader = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const named = context.switchToHttp().getRequest<FastifyRequest>().headers[SESSION_HEADER];
  if (named === undefined || named === '') return undefined;
  if (typeof named === 'string' && NAMED.test(named)) return named;
  throw new Problem(
    400,
    'invalid-session',
    `${SESSION_HEADER}: send a name or a session key, 1 to 200 printable ASCII characters.`,
  );
});
