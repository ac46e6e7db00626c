import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const colour = z.object({ colour: z.enum(['red', 'blue']) });

/** What further tools of these names ask for: a model of the client, and its folders. */
const UNOFFERED = new Map([
  ['sample', inputRequired.createMessage({ messages: [], maxTokens: 9 })],
  ['roots', inputRequired.listRoots()],
]);

/** Of the tool `rude`, which asks for folders without looking whether the client has any. */
const rudeCall = z.object({ id: z.unknown(), method: z.literal('tools/call'), params: z.object({ name: z.literal('rude') }) });
const foldersWanted = (id: unknown): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'input_required', inputRequests: { it: { method: 'roots/list' } } },
  });

/** An MCP server of 2026-07-28 over HTTP, made with the official SDK: no sessions, and what it asks it asks in its results. */
export class McpModernServer implements AsyncDisposable {
  /** Paintings that were made. */
  readonly painted: string[] = [];
  /** The request state it was given back. */
  readonly states: unknown[] = [];
  /** Names of further tools. */
  readonly further: string[] = [];
  readonly #handler = createMcpHandler(() => this.#tools());

  private constructor(private readonly server: Server) {}

  static async start(): Promise<McpModernServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const fake = new McpModernServer(server);
    server.on('request', (request, response) => {
      void (async () => {
        const { method = 'GET', headers } = request;
        const parsedBody = method === 'POST' ? await json(request) : undefined;
        const { data: rude } = rudeCall.safeParse(parsedBody);
        if (rude) return void response.writeHead(200, { 'content-type': 'application/json' }).end(foldersWanted(rude.id));
        const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
        const asked = new Request(fake.url, {
          method,
          headers: given,
          ...(parsedBody !== undefined && { body: JSON.stringify(parsedBody) }),
        });
        const answer = await fake.#handler.fetch(asked, { parsedBody });
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        for await (const chunk of answer.body ?? []) response.write(chunk);
        response.end();
      })();
    });
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  tellOfChange(): void {
    this.#handler.notify.toolsChanged();
  }

  cutStreams(): void {
    this.server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #tools(): McpServer {
    const server = new McpServer({ name: 'modern', version: '2' });
    server.registerTool('paint', { inputSchema: z.object({ what: z.string() }) }, ({ what }, { mcpReq }) => {
      const chosen = acceptedContent(mcpReq.inputResponses, 'colour', colour);
      if (chosen === undefined) {
        const question = inputRequired.elicit({ message: `Which colour for ${what}?`, requestedSchema: colour });
        return inputRequired({ inputRequests: { colour: question }, requestState: `state of ${what}` });
      }
      this.states.push(mcpReq.requestState());
      this.painted.push(`${what} ${chosen.colour}`);
      return { content: [{ type: 'text', text: `${what} is ${chosen.colour}` }] };
    });
    for (const name of this.further) {
      const it = UNOFFERED.get(name);
      server.registerTool(name, { inputSchema: z.object({}) }, () =>
        it ? inputRequired({ inputRequests: { it } }) : { content: [{ type: 'text', text: name }] },
      );
    }
    return server;
  }
}
