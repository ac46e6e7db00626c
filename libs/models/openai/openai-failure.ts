import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { WebSocketError } from 'openai/resources/responses/internal-base';
import { z } from 'zod';
import { messagesOf, type FailureFacts } from '../wire/wire-failure.js';
import { ResponseFailed } from './responses-stream.js';

/** What the SDK knows of a failed request; a status of its own for the timeout it makes itself. */
export function factsOf(error: unknown): FailureFacts {
  const message = messagesOf(error);
  const unknown = { status: undefined, kinds: [], message, headers: undefined };
  if (error instanceof ResponseFailed) return { ...unknown, kinds: [error.code], isNetwork: false };
  if (error instanceof WebSocketError) return socketFacts(error);
  if (error instanceof APIConnectionTimeoutError) return { ...unknown, status: 408, isNetwork: false };
  if (!(error instanceof APIError) || error instanceof APIConnectionError) return { ...unknown, isNetwork: true };
  const { status, code, type, headers } = error;
  return { status, kinds: [code, type], message, headers, isNetwork: status === undefined && !error.error };
}

/** As the API documents it, and as its servers also write it: around an `error` of HTTP. */
const socketErrorSchema = z.object({
  status: z.number().optional(),
  code: z.string().nullish(),
  error: z.object({ code: z.string().nullish(), type: z.string().nullish() }).optional(),
});
/** The words of `ws` for a handshake that was answered with another status; its body and headers are lost. */
const REFUSED_HANDSHAKE = /^Unexpected server response: (\d{3})$/;

function socketFacts(failure: WebSocketError): FailureFacts {
  const { status, code, error } = socketErrorSchema.safeParse(failure.error).data ?? {};
  const refused = REFUSED_HANDSHAKE.exec(failure.message)?.[1];
  return {
    status: status ?? (refused === undefined ? undefined : Number(refused)),
    kinds: [code, error?.code, error?.type],
    message: messagesOf(failure),
    headers: undefined,
    isNetwork: failure.error === undefined && refused === undefined,
  };
}
