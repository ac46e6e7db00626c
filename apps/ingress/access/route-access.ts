import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './callers.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: whoever has a token. */
    access?: 'public' | 'admin';
    /** The handler gets the bytes as they came, of any content type. */
    rawBody?: boolean;
  }
  interface FastifyRequest {
    caller?: Caller;
  }
}

/** A route that asks for no token: a static page. Everything without a decorator asks for one. */
export const Public = () => RouteConfig({ access: 'public' });

/** A route for admin tokens only. */
export const AdminOnly = () => RouteConfig({ access: 'admin' });

/** A route that verifies a signature over the raw bytes itself. */
export const SignedWebhook = () => RouteConfig({ access: 'public', rawBody: true });

/** The authenticated caller of this request. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return callerOf(context.switchToHttp().getRequest<FastifyRequest>());
});

export function callerOf({ caller }: Pick<FastifyRequest, 'caller'>): Caller {
  if (!caller) throw new Error('A public route has no caller: remove @FromCaller, @NamedSession or @Public');
  return caller;
}
