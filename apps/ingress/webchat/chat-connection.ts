import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { assertNever, describeError } from '#kernel';
import type { Logger } from '#telemetry';
import { Problem, problemOf } from '../http/problem.js';
import { CLOSE, clientFrameSchema, type AuthFrame, type ClientFrame, type ServerFrame } from './chat-frames.schema.js';
import type { Visitor, WebchatService } from './webchat.service.js';

/** Who says nothing for this long is no client of ours. */
const AUTH_WITHIN_MS = 10_000;
/** Frames that may wait for the one in work; a client that waits for its acks never comes near. */
const MOST_WAITING = 200;

/** One socket: first who it is, then its frames one after the other, and the session's events until it closes. */
export class ChatConnection {
  private readonly closed = new AbortController();
  private visitor: Visitor | undefined;
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private answered = true;
  private readonly deadline: NodeJS.Timeout;

  constructor(
    private readonly socket: WebSocket,
    private readonly request: IncomingMessage,
    private readonly chat: WebchatService,
    private readonly logger: Logger,
  ) {
    this.deadline = setTimeout(() => this.close(CLOSE.badToken, 'no auth frame came'), AUTH_WITHIN_MS);
    this.closed.signal.addEventListener('abort', () => clearTimeout(this.deadline));
    socket.on('close', () => this.closed.abort());
    socket.on('pong', () => (this.answered = true));
    socket.on('message', (raw) => this.queue(raw));
  }

  /** Called now and then: a peer that is gone without a word is found and let go. */
  beat(): void {
    if (!this.answered) return this.socket.terminate();
    this.answered = false;
    this.socket.ping();
  }

  close(code: number, reason: string): void {
    this.closed.abort();
    this.socket.close(code, reason);
  }

  /** One at a time, so that messages are stored in the order they were written. */
  private queue(raw: RawData): void {
    if (this.waiting >= MOST_WAITING) return this.close(CLOSE.badFrame, 'too many frames at once: wait for their acks');
    this.waiting += 1;
    this.last = this.last.then(async () => {
      if (!this.closed.signal.aborted) await this.receive(raw);
      this.waiting -= 1;
    });
  }

  /** Never throws. */
  private async receive(raw: RawData): Promise<void> {
    const frame = parseFrame(raw);
    if (!frame) return this.close(CLOSE.badFrame, 'not a frame of the web chat');
    try {
      if (!this.visitor) await this.enter(frame);
      else await this.obey(frame, this.visitor);
    } catch (error) {
      const problem = problemOf(error) ?? this.unexpected(error);
      await this.send({ type: 'error', ...('id' in frame ? { id: frame.id } : {}), problem: problemBody(problem) });
      if (!this.visitor) this.close(closeCode(problem.status), problem.code);
    }
  }

  private async enter(frame: ClientFrame): Promise<void> {
    if (frame.type !== 'auth') throw new Problem(401, 'unauthorized', 'The first frame must be {"type":"auth","token":"..."}.');
    const visitor = await this.chat.enter(frame, this.request);
    await this.welcome(visitor, frame);
    this.visitor = visitor;
    clearTimeout(this.deadline);
  }

  private async welcome(visitor: Visitor, { after }: AuthFrame): Promise<void> {
    const history = await this.chat.history(visitor, after);
    await this.send({ type: 'history', ...history });
    this.forward(visitor, history.cursor).catch((error: unknown) => {
      this.unexpected(error);
      this.close(CLOSE.tryAgain, 'the events cannot be read right now');
    });
  }

  private async forward(visitor: Visitor, after: string): Promise<void> {
    for await (const { id, event } of this.chat.follow(visitor, after, this.closed.signal)) {
      await this.send({ type: 'event', cursor: id, event });
    }
  }

  private async obey(frame: ClientFrame, visitor: Visitor): Promise<void> {
    switch (frame.type) {
      case 'auth':
        throw new Problem(409, 'authenticated', 'This connection is authenticated. Open another one for another session.');
      case 'send':
        return this.send({ type: 'ack', id: frame.id, ...(await this.chat.send(visitor, frame)) });
      case 'history':
        return this.send({ type: 'history', ...(await this.chat.history(visitor, frame.after)) });
      case 'stop':
        return this.chat.stop(visitor);
      default:
        return assertNever(frame);
    }
  }

  /** Resolves when it was written out, so that a slow reader slows its own events down and nothing piles up here. */
  private async send(frame: ServerFrame): Promise<void> {
    if (this.closed.signal.aborted) return;
    await new Promise<void>((resolve) => this.socket.send(JSON.stringify(frame), () => resolve()));
  }

  private unexpected(error: unknown): Problem {
    this.logger.error({ error: describeError(error) }, 'Web chat frame failed');
    return new Problem(500, 'internal', 'Something broke here; the operator finds it in the log.');
  }
}

/** `ws` gives a Buffer unless another binaryType is asked for. */
function parseFrame(raw: RawData): ClientFrame | undefined {
  try {
    return clientFrameSchema.safeParse(JSON.parse((raw as Buffer).toString())).data;
  } catch {
    return undefined;
  }
}

function problemBody({ status, code, detail }: Problem) {
  return { status, type: `urn:turnpike:problem:${code}`, title: STATUS_CODES[status] ?? 'Error', detail };
}

function closeCode(status: number): number {
  if (status === 401) return CLOSE.badToken;
  return status === 429 || status >= 500 ? CLOSE.tryAgain : CLOSE.noAccess;
}
