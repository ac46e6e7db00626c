import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const messageSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type McpMessage = z.output<typeof messageSchema>;

/** What is seen of one request. */
export interface McpRequest {
  http: string;
  session: string | undefined;
  method: string | undefined;
  headers: IncomingMessage['headers'];
}

export interface McpHttpOptions {
  tools?: { name: string }[];
  /** Tools of one page of the list. */
  page?: number;
  /** ms */
  pageDelayMs?: number;
  listHangs?: boolean;
  /** How long a list is good for, ms. */
  ttlMs?: number;
  /** How the listening stream is answered; default: it stays open. */
  listening?: 'open' | 404 | 405 | 'drops';
}

const PAGE_OF_HTML = '<html><body>Not here</body></html>';

/** An MCP server of 2025-11-25 over streamable HTTP, with sessions, that can forget them and misbehave. Listens on loopback. */
export class McpHttpServer implements AsyncDisposable {
  readonly seen: McpRequest[] = [];
  readonly calls: unknown[] = [];
  /** `_meta` of each call. */
  readonly metas: unknown[] = [];
  readonly sessions = new Set<string>();
  /** Answers an HTTP request instead, when it returns true. */
  intercept: (request: McpRequest, response: ServerResponse) => boolean | Promise<boolean> = () => false;
  #sessions = 0;
  #listener: ServerResponse | undefined;

  private constructor(
    private readonly server: Server,
    private readonly options: McpHttpOptions,
  ) {
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(options: McpHttpOptions = {}): Promise<McpHttpServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new McpHttpServer(server, options);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  count(http: string, method?: string): number {
    return this.seen.filter((one) => one.http === http && (method === undefined || one.method === method)).length;
  }

  /** As a restart does. */
  forget(): void {
    this.sessions.clear();
    this.#listener?.destroy();
  }

  say(method: string): void {
    this.#listener?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method: http = '', headers } = request;
    const body = await text(request);
    const message = body === '' ? undefined : messageSchema.safeParse(JSON.parse(body)).data;
    const session = headers['mcp-session-id']?.toString();
    const seen = { http, session, method: message?.method, headers };
    this.seen.push(seen);
    if (await this.intercept(seen, response)) return;
    const known = session !== undefined && this.sessions.has(session);
    if (session !== undefined && !known) {
      response.writeHead(404, { 'content-type': 'text/html' }).end(PAGE_OF_HTML);
      return;
    }
    if (http === 'GET') this.#listen(response);
    else if (http === 'DELETE') response.writeHead(this.sessions.delete(session ?? '') ? 200 : 404).end();
    else if (message) await this.#post(message, known, response);
    else response.writeHead(202).end();
  }

  #listen(response: ServerResponse): void {
    const { listening = 'open' } = this.options;
    if (typeof listening === 'number') {
      response.writeHead(listening).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\ndata: \n\n');
    if (listening === 'drops') response.end();
    else this.#listener = response;
  }

  async #post(message: McpMessage, known: boolean, response: ServerResponse): Promise<void> {
    const { id, method } = message;
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (method !== 'initialize' && !known) {
      response
        .writeHead(400)
        .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Not initialized' } }));
      return;
    }
    const result = await this.#result(message);
    if (result === undefined) return;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (method === 'initialize') {
      const session = `session-${(this.#sessions += 1)}`;
      this.sessions.add(session);
      headers['mcp-session-id'] = session;
    }
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  async #result({ method, params }: McpMessage): Promise<object | undefined> {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'fake-http', version: '1' },
      };
    if (method === 'tools/list') return this.#list(params);
    if (method !== 'tools/call') return {};
    this.calls.push(params?.arguments);
    this.metas.push(params?._meta);
    return { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] };
  }

  async #list(params: McpMessage['params']): Promise<object | undefined> {
    const { tools = [{ name: 'echo' }], page = 100, pageDelayMs = 0, listHangs = false, ttlMs } = this.options;
    if (listHangs) return undefined;
    await new Promise((resolve) => setTimeout(resolve, pageDelayMs));
    const from = Number(params?.cursor ?? 0);
    const shown = tools.slice(from, from + page).map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
    return {
      tools: shown,
      ...(ttlMs !== undefined && { ttlMs }),
      ...(from + page < tools.length && { nextCursor: String(from + page) }),
    };
  }
}
