import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '#config';
import { raceSignal, type Clock } from '#kernel';
import { Circuit } from './circuit.js';
import { describeFailure, describeInFull, isServerFailure, ServerPaused, SessionExpired } from './failures.js';
import { McpConnection, type ListedTools, type McpCall } from './mcp-connection.js';

export interface ServerListener {
  /** What the server has was read anew: at a connect, and whenever it says or lets expect that it changed. */
  listed(tools: ListedTools): void;
  /** Something failed that no call hears of. */
  troubled(what: string): void;
}

/** A list is read again at most this often, whatever a server says of its life, ms. */
const SHORTEST_TTL_MS = 10_000;

/**
 * One MCP server as this process uses it. Connected by whoever needs it first, once for all who come meanwhile; idle, it is
 * closed; failing, it rests (see Circuit) and harms nobody else.
 */
export class McpServer {
  #opening: Promise<McpConnection> | undefined;
  #connection: McpConnection | undefined;
  #listing: Promise<ListedTools> | undefined;
  #listAgain = false;
  /** By the clock; the list is good until then. */
  #listGoodUntil = Infinity;
  #inUse = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #circuit: Circuit;
  /** Connections that are being closed. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(
    readonly id: string,
    readonly config: McpServerConfig,
    private readonly listener: ServerListener,
    private readonly clock: Clock,
  ) {
    this.#circuit = new Circuit(clock);
  }

  /**
   * Calls a tool; connects first, if nobody has. Rejects with ServerPaused, with AnswerNeeded, with what the server answers
   * (ProtocolError), or with what failed. A call whose session was gone goes once more, in a new one (B061).
   */
  async call(call: McpCall, signal: AbortSignal): Promise<CallToolResult> {
    return this.#guarded(signal, async () => {
      const connection = await this.#connected(signal);
      try {
        return await connection.call(call, signal);
      } catch (error) {
        if (!(error instanceof SessionExpired)) throw error;
        this.#retire(connection, 'when idle');
        return await this.#callAnew(call, signal);
      }
    });
  }

  async #callAnew(call: McpCall, signal: AbortSignal): Promise<CallToolResult> {
    const connection = await this.#connected(signal);
    try {
      return await connection.call(call, signal);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw error;
      this.#retire(connection);
      throw new Error('its session ended twice during one call', { cause: error });
    }
  }

  /** What it has now. */
  async list(signal: AbortSignal): Promise<ListedTools> {
    return this.#guarded(signal, async () => {
      await this.#connected(signal);
      return raceSignal(this.#list(), signal);
    });
  }

  /** Ends connection and process; nothing new is connected. Returns when it is all gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#opening?.catch(() => undefined);
    if (this.#connection) this.#retire(this.#connection);
    await Promise.all(this.#leaving);
  }

  async #guarded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const restMs = this.#circuit.enter();
    if (restMs > 0) throw new ServerPaused(`it failed too often and rests for ${Math.ceil(restMs / 1000)} s more`);
    this.#inUse += 1;
    clearTimeout(this.#idle);
    try {
      const result = await work();
      this.#circuit.succeeded();
      return result;
    } catch (error) {
      if (isServerFailure(error, signal)) this.#circuit.failed();
      else if (signal.aborted) this.#circuit.abandoned();
      else this.#circuit.succeeded();
      throw error;
    } finally {
      this.#inUse -= 1;
      this.#rest();
      if (this.clock.monotonic() > this.#listGoodUntil) this.#listAnew();
    }
  }

  /** Closes a connection that nobody has used for long. */
  #rest(): void {
    const { idleTimeoutMs } = this.config;
    if (this.#inUse > 0 || idleTimeoutMs === 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#connection && this.#retire(this.#connection), idleTimeoutMs).unref();
  }

  /** The wait ends with the signal; the connecting itself goes on for whoever else waits. */
  async #connected(signal: AbortSignal): Promise<McpConnection> {
    if (this.#closed) throw new Error('it is closed: this process is ending, or its configuration has changed');
    if (this.#connection) return this.#connection;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return raceSignal(this.#opening, signal);
  }

  async #open(): Promise<McpConnection> {
    let alive: McpConnection | undefined;
    const opening = McpConnection.open(this.config, {
      toolsChanged: () => this.#listAnew(),
      closed: (why) => {
        if (!alive || this.#connection !== alive) return;
        this.listener.troubled(describeInFull(why));
        this.#retire(alive);
      },
    });
    opening.catch((error: unknown) => this.listener.troubled(describeInFull(error)));
    const connection = await opening;
    alive = connection;
    this.#connection = connection;
    this.#listAnew();
    return connection;
  }

  /**
   * Nothing new goes over this connection. What is under way in a session that is gone will be told so itself, and must not be
   * cut off; what an old one still says means nothing for a newer one (B118).
   */
  #retire(connection: McpConnection, when: 'now' | 'when idle' = 'now'): void {
    if (this.#connection === connection) {
      this.#connection = undefined;
      this.#listing = undefined;
    }
    const leaving = (when === 'now' ? connection.close() : connection.leave()).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  #listAnew(): void {
    const connection = this.#connection;
    if (this.#listing) {
      this.#listAgain = true;
      return;
    }
    this.#list().catch((error: unknown) => {
      if (this.#connection !== connection) return;
      this.listener.troubled(`its tools could not be listed: ${describeFailure(error)}`);
    });
  }

  /** One at a time. A change that is told meanwhile is read after it. */
  #list(): Promise<ListedTools> {
    const connection = this.#connection;
    if (!connection) return Promise.reject(new Error('it is not connected'));
    this.#listing ??= this.#listOnce(connection).finally(() => {
      if (this.#connection === connection) this.#listing = undefined;
      if (!this.#listAgain) return;
      this.#listAgain = false;
      if (this.#connection === connection) this.#listAnew();
    });
    return this.#listing;
  }

  async #listOnce(connection: McpConnection): Promise<ListedTools> {
    const found = await connection.list();
    const { ttlMs } = found;
    this.#listGoodUntil = ttlMs === undefined ? Infinity : this.clock.monotonic() + Math.max(ttlMs, SHORTEST_TTL_MS);
    this.listener.listed(found);
    return found;
  }
}
