import {
  Client,
  isInputRequiredResult,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type RequestOptions,
  type Tool as LiveTool,
  type Transport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { McpServerConfig } from '#config';
import { mcpToolSchema, type McpToolList, type TraceContext } from '#contracts';
import { backoffMs, delay, raceSignal } from '#kernel';
import { AnswerNeeded, answeredBefore, type Answers, type ElicitResult } from './elicitation.js';
import { ConnectionEnded, describeFailure, isClosing, isExpiry, SessionExpired } from './failures.js';
import { httpTransport } from './http.transport.js';
import { StdioTransport } from './stdio.transport.js';

/** One call of a tool. */
export interface McpCall {
  tool: string;
  args: Record<string, unknown>;
  answers: Answers;
  /** Handed on to the server, in `_meta` (SEP-414). */
  trace?: TraceContext | undefined;
}

export interface ConnectionListener {
  /** The server says that its tools are others now. */
  toolsChanged(): void;
  /** Nobody is there any more: the process ended, or the connection broke. */
  closed(why: ConnectionEnded): void;
}

export interface ListedTools extends McpToolList {
  /** After this time the list may be another one, ms; undefined: the server tells of changes, or of nothing. */
  ttlMs: number | undefined;
}

/** Of the time a connection may take, the part in which a server that does not know the newer revision may be silent about it. */
const PROBE_SHARE = 3;
/** How long a server may take to hear that a session is over, ms. */
const GOODBYE_MS = 2000;
const PROGRAM = { name: 'turnpike', version: '1' };
const CAPABILITIES = { elicitation: { form: {}, url: {} } };

const listResultSchema = z.object({ ttlMs: z.number().min(0).optional().catch(undefined), tools: z.array(mcpToolSchema) });

/** A connection that was made: one session with one server. Speaks 2026-07-28 where the server does, else 2025-11-25 or older. */
export class McpConnection {
  readonly #client: Client;
  readonly #transport: Transport;
  /** What is called now: a question of an older server names no call, so it can be told whose it is only if there is one. */
  readonly #calls = new Map<AbortController, Answers>();
  readonly #running = new Set<Promise<unknown>>();
  /** Calls of a server that asks run one after the other. */
  #asks = false;
  #last: Promise<unknown> = Promise.resolve();
  /** What went wrong last, whether or not it mattered: the SDK tells of a closed connection without a reason. */
  #trouble: Error = new Error('nobody says why');
  /** As last listed: headers that a call must carry are told from it. */
  #tools: readonly LiveTool[] = [];

  private constructor(
    private readonly config: McpServerConfig,
    listener: ConnectionListener,
  ) {
    const { connectTimeoutMs, maxMessageBytes } = config;
    this.#transport = transportTo(config, maxMessageBytes);
    this.#client = new Client(PROGRAM, {
      capabilities: CAPABILITIES,
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: connectTimeoutMs / PROBE_SHARE } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => listener.toolsChanged() } },
      inputRequired: { autoFulfill: false },
    });
    this.#client.onclose = () => listener.closed(this.#ended());
    // Of the transport, which tells of the handshake as well.
    this.#transport.onerror = (error) => (this.#trouble = error);
    this.#client.setRequestHandler('elicitation/create', async ({ params }) => this.#ask(params));
  }

  /**
   * Starts the server or reaches it, and shakes hands, within `connectTimeoutMs`. Rejects with what went wrong, leaving nothing
   * behind.
   */
  static async open(config: McpServerConfig, listener: ConnectionListener): Promise<McpConnection> {
    try {
      return await McpConnection.#open(config, listener, {});
    } catch (error) {
      // Some older servers end themselves when they are asked for the newer revision.
      if (config.type !== 'stdio' || !/connection closed during/.test(String(error))) throw error;
      return McpConnection.#open(config, listener, { prior: { kind: 'legacy' } });
    }
  }

  static async #open(
    config: McpServerConfig,
    listener: ConnectionListener,
    how: { prior?: { kind: 'legacy' } },
  ): Promise<McpConnection> {
    const { connectTimeoutMs } = config;
    const connection = new McpConnection(config, listener);
    const signal = AbortSignal.timeout(connectTimeoutMs);
    try {
      const connecting = connection.#client.connect(connection.#transport, { timeout: connectTimeoutMs, signal, ...how });
      await raceSignal(connecting, signal);
      void connection.#keepListening(listener);
      return connection;
    } catch (error) {
      await connection.close();
      if (signal.aborted) throw new Error(`it was not connected within ${connectTimeoutMs} ms`, { cause: error });
      throw connection.#explained(error);
    }
  }

  /** The newer revision tells of changes over a stream that may break. It is opened again, and what was missed is asked for. */
  async #keepListening({ toolsChanged }: ConnectionListener): Promise<void> {
    let stream = this.#client.autoOpenedSubscription;
    for (let attempt = 1; stream && (await stream.closed) !== 'local'; attempt += 1) {
      await delay(backoffMs(attempt));
      if (!this.#client.transport) return;
      stream = await this.#client.listen({ toolsListChanged: true }).catch(() => stream);
      toolsChanged();
    }
  }

  /** All pages. */
  async list(): Promise<ListedTools> {
    const { listTimeoutMs } = this.config;
    const signal = AbortSignal.timeout(listTimeoutMs);
    const found = await this.#client.listTools(undefined, { timeout: listTimeoutMs, signal, cacheMode: 'refresh' });
    this.#tools = found.tools;
    const { tools, ttlMs } = listResultSchema.parse(found);
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    const protocol = this.#client.getNegotiatedProtocolVersion() ?? '';
    return { server: `${name} ${version}`.trim(), protocol, tools, ttlMs };
  }

  /** Rejects with SessionExpired when nothing was run because the session is gone; with AnswerNeeded. `signal` cancels it at the server. */
  async call(call: McpCall, signal: AbortSignal): Promise<CallToolResult> {
    const mine = this.#asks ? this.#last.then(() => this.#call(call, signal)) : this.#call(call, signal);
    if (this.#asks) this.#last = mine.catch(() => undefined);
    this.#running.add(mine);
    return mine.finally(() => this.#running.delete(mine));
  }

  async #call({ tool, args, answers, trace }: McpCall, signal: AbortSignal): Promise<CallToolResult> {
    const { requestTimeoutMs, totalTimeoutMs } = this.config;
    const { responses, requestState } = answers;
    const waits = new AbortController();
    this.#calls.set(waits, answers);
    const options: RequestOptions = {
      signal: AbortSignal.any([signal, waits.signal]),
      timeout: requestTimeoutMs,
      maxTotalTimeout: totalTimeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
      allowInputRequired: true,
    };
    const answered =
      requestState === undefined && Object.keys(responses).length === 0 ? {} : { inputResponses: responses, requestState };
    try {
      const params = { name: tool, arguments: args, ...answered, ...(trace && { _meta: { ...trace } }) };
      const result = await this.#client.callTool(params, { ...options, ...this.#definition(tool) });
      if (isInputRequiredResult(result)) throw new AnswerNeeded(paramsOf(result.inputRequests), result.requestState);
      return result;
    } catch (error) {
      if (waits.signal.aborted) throw waits.signal.reason;
      if (isExpiry(error, this.#transport.sessionId)) throw new SessionExpired('The session is gone', { cause: error });
      throw this.#explained(error);
    } finally {
      this.#calls.delete(waits);
    }
  }

  #explained(error: unknown): unknown {
    return isClosing(error) ? this.#ended(error) : error;
  }

  #ended(cause?: unknown): ConnectionEnded {
    const lastWords = this.#trouble instanceof ConnectionEnded ? this.#trouble.lastWords : '';
    return new ConnectionEnded(`the connection ended: ${describeFailure(this.#trouble)}`, lastWords, { cause });
  }

  /** Without its output schema: what a tool answers is read by a model, which takes it as it is. */
  #definition(name: string): { toolDefinition?: LiveTool } {
    const tool = this.#tools.find((one) => one.name === name);
    if (!tool) return {};
    const { outputSchema: _, ...definition } = tool;
    return { toolDefinition: definition };
  }

  /** Older servers wait inside the call for a person. The call is ended instead, and made anew once there is an answer. */
  #ask(params: unknown): ElicitResult {
    this.#asks = true;
    const [only, ...others] = this.#calls;
    if (!only || others.length > 0) return { action: 'cancel' };
    const [call, answers] = only;
    const known = answeredBefore(answers, params);
    if (known) return known;
    call.abort(new AnswerNeeded({ question: params }));
    return { action: 'cancel' };
  }

  /** Closes when the calls that are under way have ended. */
  async leave(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.close();
  }

  /** Says goodbye if anybody still listens, and ends the process. Never rejects. */
  async close(): Promise<void> {
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport)
      await Promise.race([transport.terminateSession().catch(() => undefined), delay(GOODBYE_MS)]);
    await this.#client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  }
}

function transportTo(config: McpServerConfig, maxMessageBytes: number): Transport {
  if (config.type !== 'stdio') return httpTransport(config, maxMessageBytes);
  const { command, args, inherited, env, cwd } = config;
  return new StdioTransport({ command, args, env: { ...inherited, ...env }, ...(cwd !== undefined && { cwd }) }, maxMessageBytes);
}

const inputRequestsSchema = z.record(z.string(), z.object({ params: z.unknown().optional() })).default({});

function paramsOf(requests: unknown): Record<string, unknown> {
  const parsed = inputRequestsSchema.parse(requests);
  return Object.fromEntries(Object.entries(parsed).map(([key, { params }]) => [key, params]));
}
