import { HttpException } from '@nestjs/common';
import { InvalidInputError, TransientError } from '#kernel';
import { MessageRefused } from '#lanes';

export interface FieldError {
  /** Dotted; empty = the whole body. */
  path: string;
  message: string;
}

interface ProblemOptions {
  headers?: Record<string, string>;
  errors?: FieldError[];
  /** Further members, for programs. */
  members?: Record<string, unknown>;
}

/** An answer that is no success (RFC 9457). `code` is stable; `detail` tells the caller what to do. */
export class Problem extends Error {
  override name = 'Problem';

  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly options: ProblemOptions = {},
  ) {
    super(detail);
  }
}

/** Worth sending again after `retryAfterMs`. */
export function unavailable(detail: string, retryAfterMs = 1000): Problem {
  return new Problem(503, 'unavailable', detail, { headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } });
}

/** The same key again means the same message again, whatever it asked for. */
export function keyReused(): Problem {
  return new Problem(422, 'idempotency-key-reused', 'This Idempotency-Key came with another message before. Use a new key.');
}

const NOT_STORED =
  'The service cannot store anything right now. Send the same request again, with the same Idempotency-Key so that it cannot count twice.';

/** undefined for what nobody expected. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidInputError) return new Problem(400, 'invalid-input', error.message);
  if (error instanceof MessageRefused) return refused(error);
  if (error instanceof TransientError) return unavailable(NOT_STORED, error.retryAfterMs);
  if (!(error instanceof HttpException) || error.getStatus() >= 500) return undefined;
  const status = error.getStatus();
  if (status === 413)
    return new Problem(413, 'body-too-large', 'The body is larger than this server reads. Send links instead of contents.');
  if (status === 404) return new Problem(404, 'no-such-route', 'There is nothing here. docs/http-api.md lists the routes.');
  return new Problem(status, 'refused', error.message);
}

/** Waiting messages of a full session need turns, not moments. */
const FULL_RETRY_S = 10;

function refused({ reason }: MessageRefused): Problem {
  if (reason === 'busy')
    return new Problem(
      409,
      'session-busy',
      'A turn runs in this session, and its queue mode is reject. Nothing was stored: send it again later.',
    );
  const detail = 'Too many messages wait in this session (session.queue.hardCap). Nothing was stored: send it again later.';
  return new Problem(429, 'session-full', detail, { headers: { 'retry-after': String(FULL_RETRY_S) } });
}
