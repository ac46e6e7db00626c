import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

const KEEP_ALIVE_MS = 15_000;

/**
 * One Server-Sent Events answer. `signal` fires when the client is gone or the server stops; nothing is written after that.
 * Whoever opens it closes it.
 */
export class SseResponse {
  readonly signal: AbortSignal;
  private readonly raw: ServerResponse;
  private readonly timer: NodeJS.Timeout;

  /** @param stopping fires when the server stops: the client then goes on elsewhere, with Last-Event-ID */
  constructor(reply: FastifyReply, stopping: AbortSignal, keepAliveMs = KEEP_ALIVE_MS) {
    const gone = new AbortController();
    this.signal = AbortSignal.any([gone.signal, stopping]);
    this.raw = reply.hijack().raw;
    this.raw.once('close', () => gone.abort());
    for (const [name, value = ''] of Object.entries(reply.getHeaders())) this.raw.setHeader(name, value);
    this.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
      // Proxies that buffer would hold the tokens back.
      'x-accel-buffering': 'no',
    });
    this.raw.flushHeaders();
    this.timer = setInterval(() => this.raw.write(': keep-alive\n\n'), keepAliveMs);
  }

  /** Where the stream begins, so that a client that is cut off before the first event misses nothing. */
  begin(id: string): void {
    this.raw.write(`id: ${id}\n\n`);
  }

  /** Resolves when the client can take more. */
  async send(event: string, json: object, id?: string): Promise<void> {
    return this.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(json)}\n\n`);
  }

  /** An event without a name. Resolves like `send`. */
  async sendText(text: string): Promise<void> {
    return this.write(`data: ${text}\n\n`);
  }

  private async write(frame: string): Promise<void> {
    if (this.signal.aborted) return;
    if (!this.raw.write(frame)) await once(this.raw, 'drain', { signal: this.signal }).catch(() => undefined);
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
    this.raw.end();
  }
}
