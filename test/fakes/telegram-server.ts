import { z } from 'zod';
import { readMultipart, type FormPart } from './multipart.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';
import { BotError, TelegramChats, type TelegramPost } from './telegram-chats.js';

export type { TelegramPost } from './telegram-chats.js';

/** One request as it arrived, whatever became of it. */
export interface TelegramCall {
  /** performance.now() */
  at: number;
  method: string;
  token: string;
  chatId: string;
  threadId: number | undefined;
  replyTo: number | undefined;
  parseMode: string | undefined;
  /** As it was sent, with tags. */
  text: string;
  answered: Answered;
  /** performance.now(); undefined while the request waits. */
  answeredAt: number | undefined;
}

/** Somebody is shown that an answer is being made. */
export interface TelegramAction {
  /** performance.now() */
  at: number;
  chatId: string;
  threadId: number | undefined;
  action: string;
}

interface ChatLimit {
  count: number;
  perMs: number;
  retryAfterS: number;
}

export interface TelegramServer {
  url: string;
  /** All but chat actions. */
  calls: TelegramCall[];
  actions: TelegramAction[];
  posts: TelegramPost[];
  /** What there is and is not: topics, people's messages, addresses. */
  chats: TelegramChats;
  /** Files that people sent, by their id. */
  files: Map<string, Buffer>;
  /** Of chats: more messages within the time are answered 429. */
  limits: Map<string, ChatLimit>;
  fail(...faults: Fault[]): void;
  /** The next `count` posts of a chat, each given once. */
  nextMessages(chatId: string, count: number): Promise<TelegramPost[]>;
  close(): Promise<void>;
}

const chatActionSchema = z.object({
  chat_id: z.coerce.string(),
  message_thread_id: z.number().optional(),
  action: z.enum(['typing']),
});

const CHAT_ACTION = 'sendChatAction';

/** Named faults as the Bot API words them. */
export const telegramFault = {
  floodWait: (seconds: number): AnswerFault =>
    error(429, `Too Many Requests: retry after ${seconds}`, { parameters: { retry_after: seconds } }),
  serverError: (): Fault => error(500, 'Internal Server Error'),
  /** From a gateway in front of the Bot API. */
  bareServerError: (status = 502): Fault => ({ kind: 'answer', status, body: '<html>Bad Gateway</html>' }),
  blocked: (): Fault => error(403, 'Forbidden: bot was blocked by the user'),
  refused: (why: string): Fault => error(400, `Bad Request: ${why}`),
  chatNotFound: (): Fault => error(400, 'Bad Request: chat not found'),
  unauthorized: (): Fault => error(401, 'Unauthorized'),
  cannotParse: (): Fault => error(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 3"),
};

/**
 * A Bot API server: the methods that send, edit, delete and react with Telegram's own checks (token, HTML, lengths,
 * topics), getFile and its downloads; every other method answers true.
 * @param options.token  when given, another token is answered 401
 */
export async function startTelegramServer(options: { script?: readonly Fault[]; token?: string } = {}): Promise<TelegramServer> {
  const calls: TelegramCall[] = [];
  const actions: TelegramAction[] = [];
  const files = new Map<string, Buffer>();
  const chats = new TelegramChats();
  const limits = new Map<string, ChatLimit>();
  const taken: { chatId: string; at: number }[] = [];
  const isFlooded = ({ chatId, at }: TelegramCall, { count, perMs }: ChatLimit) =>
    taken.filter((one) => one.chatId === chatId && one.at > at - perMs).length >= count;
  const server = await startScriptedServer(
    {
      isSpared: (request) => route(request).method === CHAT_ACTION,
      record: (request) => {
        if (route(request).method === CHAT_ACTION) return () => undefined;
        const call = callOf(request);
        calls.push(call);
        return (answered) => Object.assign(call, { answered, answeredAt: performance.now() });
      },
      answer: (request) => {
        const { token, method, path } = route(request);
        if (options.token !== undefined && token !== options.token) return reply(error(401, 'Unauthorized'));
        if (path !== undefined) return download(files, path);
        if (method === CHAT_ACTION) return chatAction(request, actions);
        if (method === 'getFile') return getFile(request, files);
        const call = callOf(request);
        const limit = limits.get(call.chatId);
        if (limit && isFlooded(call, limit)) return reply(telegramFault.floodWait(limit.retryAfterS));
        taken.push(call);
        return called(chats, method, request);
      },
    },
    options.script,
  );
  const nextMessages = (chatId: string, count: number) => chats.arrivals.next(chatId, count);
  return { ...server, calls, posts: chats.posts, chats, files, limits, actions, nextMessages };
}

function called(chats: TelegramChats, method: string, request: ReceivedRequest): HttpReply {
  const { params, files } = paramsOf(request);
  try {
    return ok(chats.call(method, params, files));
  } catch (problem) {
    if (!(problem instanceof BotError)) throw problem;
    return reply(error(problem.code, problem.message, problem.parameters && { parameters: problem.parameters }));
  }
}

function getFile(request: ReceivedRequest, files: ReadonlyMap<string, Buffer>): HttpReply {
  const id = String(paramsOf(request).params['file_id']);
  const bytes = files.get(id);
  if (!bytes) return reply(error(400, 'Bad Request: wrong file_id or the file is temporarily unavailable'));
  if (bytes.length > 20 * 1024 * 1024) return reply(error(400, 'Bad Request: file is too big'));
  return ok({ file_id: id, file_size: bytes.length, file_path: `documents/${id}` });
}

function download(files: ReadonlyMap<string, Buffer>, path: string): HttpReply {
  const bytes = files.get(decodeURIComponent(path.replace(/^documents\//, '')));
  return bytes
    ? { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: bytes }
    : reply(error(404, 'Not Found'));
}

function chatAction({ at, body }: ReceivedRequest, actions: TelegramAction[]): HttpReply {
  const asked = chatActionSchema.safeParse(JSON.parse(body)).data;
  if (!asked) return reply(error(400, 'Bad Request: wrong parameter action in request'));
  actions.push({ at, chatId: asked.chat_id, threadId: asked.message_thread_id, action: asked.action });
  return ok(true);
}

/** Parameters come as JSON, or as a form whose fields are text or JSON. */
function paramsOf({ body, bytes, headers }: ReceivedRequest): { params: Record<string, unknown>; files: FormPart[] } {
  const parts = readMultipart(headers['content-type'], bytes);
  if (!parts) return { params: jsonOf(body), files: [] };
  const fields = parts.filter(({ fileName }) => fileName === undefined);
  const params = Object.fromEntries(fields.map(({ name, bytes: value }) => [name, fieldOf(value.toString('utf8'))]));
  return { params, files: parts.filter(({ fileName }) => fileName !== undefined) };
}

function jsonOf(body: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(body));
  } catch {
    return {};
  }
}

function fieldOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const callSchema = z.object({
  chat_id: z.coerce.string().default(''),
  message_thread_id: z.number().optional(),
  reply_parameters: z.object({ message_id: z.number() }).optional(),
  parse_mode: z.string().optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
});

function callOf(request: ReceivedRequest): TelegramCall {
  const asked = callSchema.safeParse(paramsOf(request).params).data;
  const { token, method } = route(request);
  return {
    at: request.at,
    token,
    method,
    chatId: asked?.chat_id ?? '',
    threadId: asked?.message_thread_id,
    replyTo: asked?.reply_parameters?.message_id,
    parseMode: asked?.parse_mode,
    text: asked?.text ?? asked?.caption ?? '',
    answered: 'waiting',
    answeredAt: undefined,
  };
}

/** `path`: of a file to download. */
function route({ path }: ReceivedRequest): { token: string; method: string; path: string | undefined } {
  const [, token = '', method = '', rest] = /^\/(?:file\/)?bot([^/]+)\/(\w+)(?:\/(.*))?$/.exec(path) ?? [];
  return { token, method, path: path.startsWith('/file/') ? `${method}/${rest}` : undefined };
}

type AnswerFault = Extract<Fault, { kind: 'answer' }>;

function error(status: number, description: string, more: Record<string, unknown> = {}): AnswerFault {
  return { kind: 'answer', status, body: JSON.stringify({ ok: false, error_code: status, description, ...more }) };
}

function reply({ status, body = '' }: AnswerFault): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function ok(result: unknown): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ok: true, result }) };
}
