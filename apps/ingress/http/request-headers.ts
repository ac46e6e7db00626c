import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

const KEY = /^[\x20-\x7e]{1,200}$/;
const EVENT_ID = /^\d{1,15}-\d{1,10}$/;

/** Names the request, so that sending it again does nothing again. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const key = requestOf(context).headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw new Problem(400, 'invalid-idempotency-key', 'Idempotency-Key: send 1 to 200 printable ASCII characters, once.');
});

/** The event behind which a stream goes on: the header, or `?lastEventId=` for clients that cannot set one. */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const { headers, query } = requestOf(context);
  const id = headers['last-event-id'] ?? (query as Record<string, unknown>).lastEventId;
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && EVENT_ID.test(id)) return id;
  throw new Problem(400, 'invalid-event-id', 'Last-Event-ID: send the id of an event of this stream, as it came.');
});

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}
