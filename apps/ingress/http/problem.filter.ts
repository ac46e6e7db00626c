import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER } from '#host';
import type { Logger } from '#telemetry';
import { Problem, problemOf } from './problem.js';
import { sendProblem } from './send-problem.js';

/** Every failure of every route becomes problem+json; what nobody expected is logged and told to nobody. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { method, routeOptions } = host.switchToHttp().getRequest<FastifyRequest>();
    const problem = problemOf(error) ?? new Problem(500, 'internal', 'Something broke here; the operator finds it in the log.');
    if (problem.status >= 500) {
      // An outage is told by metrics and by the connections: a line per request would only add to it.
      const level = problem.status === 500 ? 'error' : 'debug';
      this.logger[level]({ method, route: routeOptions.url, err: error }, 'Request failed');
    }
    if (!reply.sent) void sendProblem(reply, problem);
  }
}
