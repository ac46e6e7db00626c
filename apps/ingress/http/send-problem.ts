import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import { openAiError, speaksOpenAi } from './openai-error.js';
import type { Problem } from './problem.js';

/** As problem+json, or as the clients of the path expect it. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, options } = problem;
  const isOpenAi = speaksOpenAi(reply.request.url);
  const body = isOpenAi ? { error: openAiError(problem) } : problemBody(problem);
  const type = isOpenAi ? 'application/json' : 'application/problem+json';
  return reply
    .status(status)
    .headers(options.headers ?? {})
    .type(type)
    .send(JSON.stringify(body));
}

function problemBody({ status, code, detail, options: { errors, members } }: Problem) {
  return {
    type: `urn:turnpike:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    errors,
    ...members,
  };
}
