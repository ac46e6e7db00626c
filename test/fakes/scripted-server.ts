import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** What a scripted server does with one request, instead of answering as usual. All but `slow` happen after the whole request was read. */
export type Fault =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string }
  /** Takes the request, then resets the connection: the sender cannot know. */
  | { kind: 'reset' }
  /** Takes the request and never answers. */
  | { kind: 'stall' }
  /** Answers as usual, this much later. */
  | { kind: 'slow'; ms: number };

export interface ReceivedRequest {
  /** performance.now() when the whole request had arrived. */
  at: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as it came. */
  bytes: Buffer;
}

export interface HttpReply {
  status: number;
  headers?: Record<string, string>;
  body: string | Buffer;
}

/** Where a request stands: `waiting` until it is answered by a status, reset, or left to stall. */
export type Answered = number | 'reset' | 'stall' | 'waiting';

export interface RequestJudge {
  /** Records the request before anything else happens; the returned function is told how it was answered. */
  record(request: ReceivedRequest): (answered: Answered) => void;
  /** The usual answer; what it accepts counts as accepted. */
  answer(request: ReceivedRequest): HttpReply;
  /** Requests that no script counts; default: none. */
  isSpared?(request: ReceivedRequest): boolean;
  /** What each of those meets. */
  sparedFault?: Fault | undefined;
}

export interface ScriptedServer {
  url: string;
  /** The next requests meet these faults, in this order; later ones are answered as usual. */
  fail(...faults: Fault[]): void;
  close(): Promise<void>;
}

/** A real HTTP server on 127.0.0.1 with scripted faults. A reset or stalled request was accepted first: the worst case for a sender. */
export async function startScriptedServer(judge: RequestJudge, script: readonly Fault[] = []): Promise<ScriptedServer> {
  const faults = [...script];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const { method = '', url = '', headers } = incoming;
    const bytes = Buffer.concat(parts);
    const request = { at: performance.now(), method, path: url, headers, body: bytes.toString('utf8'), bytes };
    meet(judge.isSpared?.(request) ? judge.sparedFault : faults.shift(), request, response, judge);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    fail: (...next) => void faults.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function meet(fault: Fault | undefined, request: ReceivedRequest, response: ServerResponse, judge: RequestJudge): void {
  const answered = judge.record(request);
  const reply = ({ status, headers = {}, body }: HttpReply) => {
    answered(status);
    response.writeHead(status, headers).end(body);
  };
  switch (fault?.kind) {
    case 'answer':
      return reply({ body: '', ...fault });
    case 'reset':
      judge.answer(request);
      answered('reset');
      return void response.socket?.resetAndDestroy();
    case 'stall':
      judge.answer(request);
      return answered('stall');
    case 'slow':
      return void setTimeout(() => reply(judge.answer(request)), fault.ms);
    case undefined:
      return reply(judge.answer(request));
  }
}
