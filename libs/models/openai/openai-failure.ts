import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { messagesOf, type FailureFacts } from '../wire/wire-failure.js';
import { ResponseFailed } from './responses-stream.js';

/** What the SDK knows of a failed request; a status of its own for the timeout it makes itself. */
export function factsOf(error: unknown): FailureFacts {
  const message = messagesOf(error);
  const unknown = { status: undefined, kinds: [], message, headers: undefined };
  if (error instanceof ResponseFailed) return { ...unknown, kinds: [error.code], isNetwork: false };
  if (error instanceof APIConnectionTimeoutError) return { ...unknown, status: 408, isNetwork: false };
  if (!(error instanceof APIError) || error instanceof APIConnectionError) return { ...unknown, isNetwork: true };
  const { status, code, type, headers } = error;
  return { status, kinds: [code, type], message, headers, isNetwork: status === undefined && !error.error };
}
