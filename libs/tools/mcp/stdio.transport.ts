import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { ConnectionEnded } from './failures.js';
import { ProcessGroup, type Program } from './process-group.js';

/**
 * MCP over the standard input and output of a program (2025-11-25 and 2026-07-28, stdio). Beside the SDK's own it ends the
 * whole process group, tells why a program ended, and lets nothing outlive this process. `pid` and `stderr` are how the SDK
 * recognises stdio.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly stderr = null;
  #group: ProcessGroup | undefined;
  #ended: Promise<void> | undefined;
  readonly #buffer: ReadBuffer;
  /** Why there is nobody to talk to any more. */
  #gone = 'has not been started';

  constructor(
    private readonly program: Program,
    maxMessageBytes: number,
  ) {
    this.#buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  }

  get pid(): number | null {
    return this.#group?.pid ?? null;
  }

  async start(): Promise<void> {
    const group = await ProcessGroup.start(this.program);
    this.#group = group;
    group.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    void group.exited.then(({ how, lastWords }) => this.#end(how, lastWords));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.stdin;
    if (!stdin?.writable) throw new Error(`the program ${this.#gone}`);
    if (!stdin.write(serializeMessage(message)))
      await new Promise((resolve) => stdin.once('drain', resolve).once('close', resolve));
  }

  async close(): Promise<void> {
    await this.#end('was ended');
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.#fail(error);
      void this.#end('sent a message that is too large');
      return;
    }
    for (let more = true; more;) {
      try {
        const message = this.#buffer.readMessage();
        more = message !== null;
        if (message) this.onmessage?.(message);
      } catch (error) {
        this.#fail(error); // a line that is no message: the next one may be
      }
    }
  }

  #fail(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }

  /** Tells that it is over at once: whoever waits for an answer must not wait for a program that will not end. */
  #end(how: string, lastWords = ''): Promise<void> {
    this.#ended ??= (async () => {
      this.#gone = how;
      this.#fail(new ConnectionEnded(`the program ${how}`, lastWords));
      this.onclose?.();
      await this.#group?.end();
    })();
    return this.#ended;
  }
}
