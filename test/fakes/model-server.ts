import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const messageSchema = z.looseObject({
  role: z.string(),
  content: z.unknown(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
});
const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(messageSchema),
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});
export type ModelServerRequest = z.infer<typeof requestSchema>;

export interface ModelServerCall {
  /** From 0, in order of arrival. */
  index: number;
  /** ms since the epoch, on arrival. */
  at: number;
  body: ModelServerRequest;
  authorization: string | undefined;
  /** The client closed its socket before the answer ended. */
  aborted: boolean;
  /** Settles when the exchange is over, whoever ended it. */
  ended: Promise<void>;
}

/** What one call is answered with. The default is a text that no other call ever gets. */
export interface ModelScript {
  text?: string;
  toolCalls?: { id?: string; name: string; arguments?: unknown }[];
  /** Of the answer or the error, beside its own. */
  headers?: Record<string, string>;
  /** Before the first byte. */
  delayMs?: number;
  /** Between two pieces; 0 sends everything in one write. */
  chunkDelayMs?: number;
  /** Answers this status with an OpenAI error body instead. */
  status?: number;
  /** What the error says, with `status`; default: something harmless. */
  errorMessage?: string;
  /** The error's code, with `status`. */
  errorCode?: string;
  /** Seconds, with `status`. */
  retryAfter?: number;
  /** Destroys the socket after this many pieces. */
  cutAfter?: number;
  /** Sends the head of the answer and then nothing until the client gives up. */
  hang?: boolean;
}

export type ModelAnswer = (request: ModelServerRequest, call: ModelServerCall) => ModelScript | Promise<ModelScript>;

export interface ModelServer extends AsyncDisposable {
  /** For `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  readonly calls: readonly ModelServerCall[];
  /** Waits until `count` calls have arrived; answers the last of them. */
  called(count: number): Promise<ModelServerCall>;
  close(): Promise<void>;
}

const PIECE_LENGTH = 12;
/** Responses this server cut itself: their end is no client's doing. */
const cut = new WeakSet<ServerResponse>();
const chunk = (id: string, model: string, rest: object) =>
  `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 0, model, ...rest })}\n\n`;

/** A judge: speaks OpenAI Chat Completions (streamed) on 127.0.0.1 and remembers every call. No latency unless scripted. */
export async function startModelServer({
  answer = () => ({}),
  port = 0,
}: { answer?: ModelAnswer; port?: number } = {}): Promise<ModelServer> {
  const calls: ModelServerCall[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    exchange(request, response, answer, calls, waiting).catch((error: unknown) => {
      if (!response.headersSent) sendError(response, 400, String(error));
      else response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    async called(count) {
      for (let call = calls[count - 1]; ; call = calls[count - 1]) {
        if (call) return call;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ModelAnswer,
  calls: ModelServerCall[],
  waiting: Set<() => void>,
) {
  if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions')) return sendError(response, 404, 'no such route');
  const body = requestSchema.parse(await json(request));
  const gone = new AbortController();
  const call: ModelServerCall = {
    index: calls.length,
    at: Date.now(),
    body,
    authorization: request.headers.authorization,
    aborted: false,
    ended: once(response, 'close').then(() => undefined),
  };
  response.once('close', () => {
    call.aborted ||= !response.writableFinished && !cut.has(response);
    gone.abort();
  });
  calls.push(call);
  for (const wake of waiting) wake();
  waiting.clear();
  try {
    await respond(response, body, await answer(body, call), gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

async function respond(
  response: ServerResponse,
  body: ModelServerRequest,
  script: ModelScript,
  gone: AbortSignal,
): Promise<void> {
  if (script.delayMs) await sleep(script.delayMs, undefined, { signal: gone });
  if (script.status) return sendError(response, script.status, script.errorMessage ?? `scripted ${script.status}`, script);
  if (body.stream !== true) return sendWhole(response, body, script);
  response.writeHead(200, { ...script.headers, 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  if (script.hang) return response.flushHeaders();
  const pieces = piecesOf(body.model, script);
  if (!script.chunkDelayMs && script.cutAfter === undefined) {
    response.end(pieces.join(''));
    return;
  }
  for (const [index, piece] of pieces.entries()) {
    if (index === script.cutAfter) {
      cut.add(response);
      response.destroy();
      return;
    }
    response.write(piece);
    await sleep(script.chunkDelayMs ?? 0, undefined, { signal: gone });
  }
  response.end();
}

const textOf = ({ text, toolCalls }: ModelScript) => text ?? (toolCalls ? '' : `nonce ${randomUUID()}`);
const callsOf = ({ toolCalls = [] }: ModelScript) =>
  toolCalls.map(({ id = `call_${randomUUID()}`, name, arguments: args = {} }) => ({
    id,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));
const usageOf = (body: string, text: string) => ({
  prompt_tokens: body.length,
  completion_tokens: text.length,
  total_tokens: body.length + text.length,
});

function piecesOf(model: string, script: ModelScript): string[] {
  const id = `chatcmpl-${randomUUID()}`;
  const delta = (content: object) => chunk(id, model, { choices: [{ index: 0, delta: content, finish_reason: null }] });
  const text = textOf(script);
  const calls = callsOf(script);
  const texts = [...text.matchAll(new RegExp(`[^]{1,${PIECE_LENGTH}}`, 'gu'))].map(([piece]) => delta({ content: piece }));
  const callPieces = calls.flatMap((call, index) => {
    const half = Math.ceil(call.arguments.length / 2);
    return [
      delta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      delta({ tool_calls: [{ index, function: { arguments: call.arguments.slice(0, half) } }] }),
      delta({ tool_calls: [{ index, function: { arguments: call.arguments.slice(half) } }] }),
    ];
  });
  const finish = chunk(id, model, {
    choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
  });
  const usage = chunk(id, model, { choices: [], usage: usageOf(model, text) });
  return [delta({ role: 'assistant', content: '' }), ...texts, ...callPieces, finish, usage, 'data: [DONE]\n\n'];
}

function sendWhole(response: ServerResponse, { model }: ModelServerRequest, script: ModelScript): void {
  const text = textOf(script);
  const calls = callsOf(script).map(({ id, ...fn }) => ({ id, type: 'function', function: fn }));
  const message = { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) };
  const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: 0,
      model,
      choices,
      usage: usageOf(model, text),
    }),
  );
}

function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  { retryAfter, errorCode }: Pick<ModelScript, 'retryAfter' | 'errorCode'> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify({ error: { message, type: 'scripted', code: errorCode ?? null, param: null } }));
}
