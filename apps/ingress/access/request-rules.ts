import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { installBodyParser, refuseOtherTypes } from '../http/json-body.js';
import { Problem, problemOf } from '../http/problem.js';
import { sendProblem } from '../http/send-problem.js';
import { CallerLimit } from './caller-limit.js';
import { Callers, type Caller } from './callers.js';

/**
 * What holds for every request, in this order, before a byte of its body is read: who asks, may they, how often, and is it
 * JSON (IN-6). A route without a decorator asks for a token, and so does a path without a route.
 */
@Injectable()
export class RequestRules implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly callers: Callers,
    private readonly limit: CallerLimit,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.decorateRequest('caller', undefined);
    server.addHook('onRequest', async (request, reply) => this.judge(request, reply));
    installBodyParser(server);
  }

  private async judge(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    try {
      const access = request.routeOptions.config?.access;
      if (access !== 'public') request.caller = await this.admit(request, reply, access === 'admin');
      refuseOtherTypes(request);
      return undefined;
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      return sendProblem(reply, problem);
    }
  }

  private async admit({ headers, raw }: FastifyRequest, reply: FastifyReply, adminOnly: boolean): Promise<Caller> {
    const caller = this.callers.ofHeader(headers.authorization);
    if (!caller) throw await this.limit.stranger(raw, unauthorized(headers.authorization !== undefined));
    if (adminOnly && !caller.admin) throw new Problem(403, 'admin-only', 'This needs an admin token.');
    void reply.headers(await this.limit.charge(caller));
    return caller;
  }
}

export function unauthorized(given: boolean): Problem {
  const challenge = `Bearer realm="turnpike"${given ? ', error="invalid_token"' : ''}`;
  const detail = given ? 'The token is not known here.' : 'Send a token, with the header Authorization: Bearer <token>.';
  return new Problem(401, 'unauthorized', detail, { headers: { 'www-authenticate': challenge } });
}
