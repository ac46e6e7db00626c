import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { Wire } from './wires/wire.js';

export const KEY = 'a-secret-key-of-the-test';
export const USAGE = { inputTokens: 30, outputTokens: 7 };
export const REQUEST: ModelRequest = { model: 'm', system: 'be kind', messages: [{ role: 'user', text: 'hi' }], tools: [] };

interface Times {
  idleTimeoutMs?: number;
  totalTimeoutMs?: number;
}

export interface ModelContract {
  wire: Wire;
  /** A provider that talks to this server with KEY. */
  provider(options: Times & { baseUrl: string }): ModelProvider;
}

export type Respond = (response: ServerResponse, body: string, request: IncomingMessage) => void;

/** A bare server, because these are the streams that well-behaved servers never send. */
export async function serve(contract: ModelContract, respond: Respond, times: Times = {}) {
  const closed = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    response.once('close', () => closed.resolve());
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    respond(response, body, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    provider: contract.provider({ baseUrl, ...times }),
    closed: closed.promise,
  };
}

export async function collect(
  provider: ModelProvider,
  request = REQUEST,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

export const textOf = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

/** Writes these frames, and ends. */
export const answers =
  ({ contentType }: Wire, ...frames: string[]): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(frames.join(''));
  };
