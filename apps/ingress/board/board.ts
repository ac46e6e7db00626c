import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CallerLimit } from '../access/caller-limit.js';
import { Callers } from '../access/callers.js';
import { unauthorized } from '../access/request-rules.js';
import { Problem, problemOf } from '../http/problem.js';
import { sendProblem } from '../http/send-problem.js';
import { BoardQueues } from './board-queues.js';
import { BoardSession, type BoardRole } from './board-session.js';
import { LOGIN_PAGE } from './login-page.js';

const PATH = '/queues';
const LOGIN = `${PATH}/login`;
/** The board's page asks a foreign host for its fonts: an operator's browser has no business there. */
const CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; form-action 'self'; frame-ancestors 'none'";
const API = `${PATH}/api/`;
/** The only calls that change something: "retry" of dead letters, which the queue itself makes a replay. */
const RETRY = /^\/queues\/api\/queues\/(?:b\d+-)?dead-deliveries\/(?:[^/]+\/retry|retry\/failed)$/;
const MAX_FORM_BYTES = 4096;

interface BoardRequest {
  Params: { queueName?: string };
  /** A parameter that comes twice is an array. */
  Querystring: { token?: string | string[]; activeQueue?: string | string[] };
}

/**
 * Bull Board at /queues (OP-3): to look at, and for operators to send dead letters again. A browser signs in by a form, or once
 * with `/queues?token=<token>`.
 */
@Injectable()
export class Board implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly callers: Callers,
    private readonly limit: CallerLimit,
    private readonly sessions: BoardSession,
    private readonly queues: BoardQueues,
  ) {}

  onModuleInit(): void {
    const adapter = new FastifyAdapter();
    const { replaceQueues } = createBullBoard({
      queues: [],
      serverAdapter: adapter.setBasePath(PATH),
      options: { uiConfig: { boardTitle: 'Turnpike', showWorkers: false } },
    });
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    void server.register(
      async (scope) => {
        // This scope asks who comes by itself, because browsers come with a cookie.
        scope.addHook('onRoute', (route) => void (route.config = { ...route.config, access: 'public' }));
        scope.addHook<BoardRequest>('onRequest', async (request, reply) => {
          const { url, params, query } = request;
          void reply.headers({ 'content-security-policy': CSP, 'referrer-policy': 'no-referrer' });
          try {
            if (url === LOGIN) return undefined;
            if (query.token !== undefined) return this.signIn(query.token, request, reply);
            const role = this.admit(request);
            if (url.startsWith(API)) replaceQueues(await this.queues.list(role, params.queueName ?? query.activeQueue));
            return undefined;
          } catch (error) {
            return this.refuse(error, request, reply);
          }
        });
        const form = { config: { rawBody: true }, bodyLimit: MAX_FORM_BYTES };
        scope.post<{ Body: Buffer }>('/login', form, async (request, reply) => {
          try {
            return this.signIn(new URLSearchParams(request.body.toString('utf8')).get('token') ?? '', request, reply);
          } catch (error) {
            return this.refuse(error, request, reply);
          }
        });
        await scope.register(adapter.registerPlugin());
      },
      { prefix: PATH },
    );
  }

  /** Takes a token out of the address at once, so that it stays in no history. @throws Problem 401 */
  private signIn(token: string | string[], { protocol, headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const role = typeof token === 'string' ? this.callers.find(token)?.board : undefined;
    if (!role) throw unauthorized(true);
    const forwarded = headers['x-forwarded-proto'];
    const isSecure = [protocol, forwarded].includes('https');
    return reply.headers({ 'set-cookie': this.sessions.open(role, isSecure), 'cache-control': 'no-store' }).redirect(PATH, 303);
  }

  /** @throws Problem 401, 403, 405 */
  private admit({ headers, method, url }: FastifyRequest): BoardRole {
    const role = this.sessions.roleOf(headers.cookie) ?? this.roleOfToken(headers.authorization);
    if (method === 'GET' || method === 'HEAD') return role;
    if (!RETRY.test(url))
      throw new Problem(405, 'read-only', 'The board only shows: a change here would break the order of messages.');
    if (role !== 'operator')
      throw new Problem(403, 'operators-only', 'To send a dead letter again takes an operator of the board.');
    return role;
  }

  private roleOfToken(authorization: string | undefined): BoardRole {
    const caller = this.callers.ofHeader(authorization);
    if (!caller) throw unauthorized(authorization !== undefined);
    if (!caller.board) throw new Problem(403, 'no-board', 'This needs an admin token, or one that may see the board.');
    return caller.board;
  }

  /** Whoever is at a browser, and nobody yet, is asked who he is. */
  private async refuse(error: unknown, { raw, headers, method }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const problem = problemOf(error);
    if (!problem) throw error;
    if (problem.status !== 401) return sendProblem(reply, problem);
    const asks = method === 'GET' && headers.authorization === undefined && headers.accept?.includes('text/html') === true;
    if (asks) return reply.status(401).type('text/html; charset=utf-8').send(LOGIN_PAGE);
    return sendProblem(reply, await this.limit.stranger(raw, problem));
  }
}
