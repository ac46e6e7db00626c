import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

import { AnswerNeeded } from './elicitation.js';

const NOT_FOUND = 404;

/** The session this call was made in is gone. Nothing was run: the call may go once more, in a new session. */
export class SessionExpired extends Error {
  override name = 'SessionExpired';
}

/** The server answers nothing for now, because it failed too often. */
export class ServerPaused extends Error {
  override name = 'ServerPaused';
}

/** Why there is nobody to talk to any more. */
export class ConnectionEnded extends Error {
  override name = 'ConnectionEnded';
  /** @param lastWords what the program last wrote on standard error: for the operator, and never for a model, since secrets may be in it */
  constructor(
    why: string,
    readonly lastWords = '',
    options?: ErrorOptions,
  ) {
    super(why, options);
  }
}

/**
 * Whether it was the server that failed: it cannot be reached, does not answer, or breaks the protocol. An error that it
 * answers with, however rude, is an answer, and a call that was given up is nobody's failure.
 */
export function isServerFailure(error: unknown, signal: AbortSignal): boolean {
  return !signal.aborted && !(error instanceof ProtocolError) && !(error instanceof AnswerNeeded);
}

/** A POST that is answered 404 in a session says that the session is gone; a listening stream that is says nothing (B118). */
export function isExpiry(error: unknown, session: string | undefined): boolean {
  return session !== undefined && error instanceof SdkHttpError && error.data.status === NOT_FOUND;
}

export function isClosing(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/** For the operator. Log lines are scrubbed of secrets. */
export function describeInFull(error: unknown): string {
  const what = describeFailure(error);
  return error instanceof ConnectionEnded && error.lastWords !== '' ? `${what}; it last wrote: ${error.lastWords}` : what;
}

/** For the model: what failed, without what a page of HTML says of it. */
export function describeFailure(error: unknown): string {
  if (error instanceof SdkHttpError) return `the server answered HTTP ${error.data.status}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'the server did not answer in time';
  return firstLine(error instanceof Error ? error.message : String(error));
}

const LONGEST = 500;

function firstLine(text: string): string {
  return text.split('\n', 1).join('').slice(0, LONGEST);
}
