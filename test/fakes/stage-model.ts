import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';

/** A model whose words are the test's: it speaks OpenAI Chat Completions (streamed) and waits for each word. */
export class StageModel {
  private readonly asked: Speech[] = [];
  private readonly waiting: ((speech: Speech) => void)[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StageModel> {
    const server = createServer();
    const model = new StageModel(server);
    server.on('request', (request, response) => {
      void readAll(request).then(() => model.ask(new Speech(response)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return model;
  }

  /** For OPENAI_BASE_URL. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The next answer a runner asks for. */
  async next(): Promise<Speech> {
    return this.asked.shift() ?? new Promise((resolve) => this.waiting.push(resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private ask(speech: Speech): void {
    const waiter = this.waiting.shift();
    if (waiter) waiter(speech);
    else this.asked.push(speech);
  }
}

let callIds = 0;

/** One answer, while it is spoken. */
export class Speech {
  private calls = 0;

  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  }

  say(content: string): void {
    this.chunk({ content });
  }

  call(name: string, args: object): void {
    const call = {
      index: this.calls++,
      id: `call_${callIds++}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    };
    this.chunk({ tool_calls: [call] });
  }

  end(): void {
    this.chunk({}, this.calls > 0 ? 'tool_calls' : 'stop');
    this.response.end('data: [DONE]\n\n');
  }

  private chunk(delta: object, finish_reason: string | null = null): void {
    const choices = [{ index: 0, delta, finish_reason }];
    this.response.write(
      `data: ${JSON.stringify({ id: 'stage', object: 'chat.completion.chunk', created: 0, model: 'stage', choices })}\n\n`,
    );
  }
}
