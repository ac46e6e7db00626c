import { createParamDecorator, Injectable, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './route-access.js';
import { SessionAccess, type SessionPlace } from './session-access.js';

type SessionRequest = FastifyRequest<{ Params: { key?: string } }>;

@Injectable()
class JudgeSession implements PipeTransform<SessionRequest, SessionPlace> {
  constructor(private readonly access: SessionAccess) {}

  transform(request: SessionRequest): SessionPlace {
    return this.access.resolve(callerOf(request), request.params.key);
  }
}

const FromRequest = createParamDecorator((_: unknown, context: ExecutionContext): SessionRequest =>
  context.switchToHttp().getRequest<SessionRequest>(),
);

/** The session in `:key` of the path, or where there is none the caller's own. @throws like SessionAccess.resolve */
export const NamedSession = () => FromRequest(JudgeSession);
