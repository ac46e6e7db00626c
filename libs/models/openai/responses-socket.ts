import type OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ResponsesEvent } from './responses-stream.js';

/** Nothing comes behind them, and the server keeps the socket open for another request. */
const ENDS = new Set<string>(['response.completed', 'response.incomplete', 'response.failed']);

/** One response over a WebSocket of its own: opened for it, closed behind it and by `signal`. Throws what the SDK says of an error. */
export async function* overSocket(
  sdk: OpenAI,
  { stream: _implied, ...body }: ResponseCreateParamsStreaming,
  signal: AbortSignal,
): AsyncGenerator<ResponsesEvent> {
  signal.throwIfAborted();
  const connection = new ResponsesWS(sdk);
  // An error nobody listens to would end the process, and a socket that is closed while it opens makes one.
  connection.on('error', () => undefined);
  const close = (): void => connection.socket.terminate();
  signal.addEventListener('abort', close, { once: true });
  try {
    const records = connection.stream();
    connection.send({ type: 'response.create', ...body });
    for await (const record of records) {
      if (record.type === 'error') throw record.error;
      if (record.type !== 'message' || record.message.type === 'error') continue;
      yield record.message;
      if (ENDS.has(record.message.type)) return;
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
