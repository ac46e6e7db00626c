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
import { BoardSession } from './board-session.js';

const PATH = '/queues';
/** The board's page asks a foreign host for its fonts: an operator's browser has no business there. */
const CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'";
const API = `${PATH}/api/`;

interface BoardRequest {
  Params: { queueName?: string };
  /** A parameter that comes twice is an array. */
  Querystring: { token?: string | string[]; activeQueue?: string | string[] };
}

/** Bull Board at /queues (OP-3): for admins, to look at. A browser signs in once with `/queues?token=<admin token>`. */
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
          try {
            void reply.header('content-security-policy', CSP);
            if (this.signsIn(request, reply)) return reply;
            this.admit(request);
            const { url, params, query } = request;
            if (url.startsWith(API)) replaceQueues(await this.queues.list(params.queueName ?? query.activeQueue));
            return undefined;
          } catch (error) {
            const problem = problemOf(error);
            if (!problem) throw error;
            return sendProblem(reply, problem.status === 401 ? await this.limit.stranger(request.raw, problem) : problem);
          }
        });
        await scope.register(adapter.registerPlugin());
      },
      { prefix: PATH },
    );
  }
  /** Takes the token out of the address at once, so that it stays in no history. */
  private signsIn({ query: { token }, protocol, headers }: FastifyRequest<BoardRequest>, reply: FastifyReply): boolean {
    if (token === undefined) return false;
    if (typeof token !== 'string' || !this.callers.find(token)?.admin) throw unauthorized(true);
    const forwarded = headers['x-forwarded-proto'];
    void reply
      .headers({
        'set-cookie': this.sessions.open([protocol, forwarded].includes('https')),
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      .redirect(PATH, 303);
    return true;
  }

  private admit({ headers, method }: FastifyRequest<BoardRequest>): void {
    if (!this.sessions.isOpen(headers.cookie)) {
      const caller = this.callers.ofHeader(headers.authorization);
      if (!caller) throw unauthorized(headers.authorization !== undefined);
      if (!caller.admin) throw new Problem(403, 'admin-only', 'This needs an admin token.');
    }
    if (method !== 'GET' && method !== 'HEAD')
      throw new Problem(405, 'read-only', 'The board only shows: a change here would break the order of messages.');
  }
}
