import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wire } from './wires/wire.js';

/** What a server does with one request. */
export type WireReply =
  | { kind: 'answer'; text: string }
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string>; afterMs?: number }
  /** In the middle of `text`: cut, an error event, or a silence that never ends. */
  | { kind: 'cut' | 'errorEvent' | 'stall'; text: string }
  /** A whole answer without a word. */
  | { kind: 'nothing' };

export interface WireServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Bodies of the requests, in order. */
  readonly bodies: unknown[];
}

/** A model server on one wire that does as it is told, request by request. */
export async function startWireServer(wire: Wire, reply: (n: number) => WireReply): Promise<WireServer> {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await json(request));
    await answer(wire, reply(bodies.length - 1), response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(wire: Wire, reply: WireReply, response: ServerResponse): Promise<void> {
  if (reply.kind === 'status') {
    const { status, body = wire.error(status, `scripted ${status}`), headers, afterMs = 0 } = reply;
    if (afterMs > 0) await sleep(afterMs);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    return;
  }
  response.writeHead(200, { 'content-type': wire.contentType });
  for (const frame of wire.opening()) response.write(frame);
  if (reply.kind !== 'nothing') response.write(wire.text(reply.text));
  if (reply.kind === 'stall') return;
  // A reader that has not seen the text yet would lose it with the socket.
  if (reply.kind === 'cut') return void setImmediate(() => setImmediate(() => response.destroy()));
  if (reply.kind === 'errorEvent') return void response.end(wire.errorInStream('overloaded'));
  response.end(wire.closing('stop', { inputTokens: 5, outputTokens: 3 }).join(''));
}
